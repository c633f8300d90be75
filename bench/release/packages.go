package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// shared are the folders of a system where what archives hold belongs.
var shared = map[string]string{
	"man/man1/":         "/usr/share/man/man1/",
	"completions/bash/": "/usr/share/bash-completion/completions/",
	"completions/zsh/":  "/usr/share/zsh/site-functions/",
	"completions/fish/": "/usr/share/fish/vendor_completions.d/",
}

// packages writes a deb and an rpm.
func (r *release) packages(p platform, programs []file) error {
	work, err := os.MkdirTemp("", "tstore-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)

	contents := []map[string]any{}
	add := func(from, to string, mode int64) {
		info := map[string]any{"mode": mode, "mtime": r.date.Format(time.RFC3339), "owner": "root", "group": "root"}
		contents = append(contents, map[string]any{"src": from, "dst": to, "file_info": info})
	}
	for _, f := range programs {
		add(f.from, "/usr/bin/"+f.to, f.mode)
	}
	for _, f := range r.docs {
		to := installed(f.to)
		if to == "" {
			continue
		}
		from := filepath.Join(work, strings.ReplaceAll(f.to, "/", "-"))
		if err := os.WriteFile(from, f.content, 0o644); err != nil {
			return err
		}
		add(from, to, f.mode)
	}

	// JSON is YAML too.
	config, err := json.Marshal(map[string]any{
		"name": "tstore", "arch": p.arch, "platform": "linux", "version": r.version, "version_schema": "semver",
		"maintainer": "the authors of tstore <tstore@localhost>", "license": "MIT", "section": "science",
		"description": "Named, larger-than-memory arrays on a local disk", "mtime": r.date.Format(time.RFC3339), "contents": contents,
		"rpm": map[string]any{"buildhost": "localhost"},
	})
	if err != nil {
		return err
	}
	name := filepath.Join(work, "nfpm.yaml")
	if err := os.WriteFile(name, config, 0o644); err != nil {
		return err
	}

	env := []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix())}
	for _, kind := range []string{"deb", "rpm"} {
		target := filepath.Join(r.dir, fmt.Sprintf("tstore_%s_%s_%s.%s", r.version, p.os, p.arch, kind))
		if _, err := output(env, "go", "run", nfpm, "package", "--config", name, "--packager", kind, "--target", target); err != nil {
			return err
		}
	}
	return nil
}

// installed returns where a file of an archive belongs on a system, or "".
func installed(name string) string {
	for prefix, folder := range shared {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return folder + rest
		}
	}
	if name == "LICENSE" {
		return "/usr/share/doc/tstore/copyright"
	}
	return ""
}
