package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// A bill of materials in the form of CycloneDX 1.5: the modules that Go says it built in.
type (
	bill struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl,omitempty"`
		Hashes  []hash `json:"hashes,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
)

// parts writes what the programs of an archive are made of to base.cdx.json.
func (r *release) parts(base string, programs []file) error {
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1}
	b.Metadata.Timestamp = r.date.Format("2006-01-02T15:04:05Z")
	b.Metadata.Component = component{Type: "application", Name: "tstore", Version: r.version}

	known := map[string]bool{}
	for _, program := range programs {
		own, modules, err := partsOf(program)
		if err != nil {
			return err
		}
		b.Components = append(b.Components, own)
		for _, m := range modules {
			if !known[m.PURL] {
				b.Components = append(b.Components, m)
			}
			known[m.PURL] = true
		}
	}

	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dir, base+".cdx.json"), append(text, '\n'), 0o644)
}

// partsOf returns a program and the modules in it, Go's library first.
func partsOf(program file) (own component, modules []component, err error) {
	info, err := buildinfo.ReadFile(program.from)
	if err != nil {
		return own, nil, err
	}
	b, err := os.ReadFile(program.from)
	if err != nil {
		return own, nil, err
	}

	own = component{Type: "file", Name: program.to, Version: info.Main.Version}
	own.Hashes = []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(b))}}
	modules = append(modules, module("stdlib", info.GoVersion))
	for _, dep := range info.Deps {
		modules = append(modules, module(dep.Path, dep.Version))
	}
	return own, modules, nil
}

func module(path, version string) component {
	return component{Type: "library", Name: path, Version: version, PURL: "pkg:golang/" + path + "@" + version}
}
