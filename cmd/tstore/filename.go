package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/tstore/tstore/catalog"
)

// namesOfFiles returns the names that files get: the one that was asked for, or those that the
// files have.
func namesOfFiles(files []string, asked string) ([]string, error) {
	if asked != "" {
		if len(files) > 1 {
			return nil, fmt.Errorf("--name is for one file, found %d", len(files))
		}
		return []string{asked}, nil
	}

	names := make([]string, len(files))
	from := map[string]string{}

	// Two folders can have a file of the same name.
	for i, file := range files {
		name, err := nameOfFile(file)
		if err != nil {
			return nil, err
		}
		if other, taken := from[name]; taken {
			return nil, fmt.Errorf("%s and %s would both be named %q: bring them in one by one, with --name", other, file, name)
		}
		names[i], from[name] = name, file
	}

	return names, nil
}

// nameOfFile returns the name for a file's elements: the file's own without folder and extension,
// and with underscores for what no name can have.
func nameOfFile(file string) (string, error) {
	if file == "-" {
		return "", fmt.Errorf("--name is missing: standard input has none of its own")
	}

	base := filepath.Base(file)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || strings.ContainsRune("[]()@*?\"\\`", r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(stem, "_"))
	name = strings.TrimSpace(name)

	// A name that begins with a dash would be read as a flag.
	if strings.HasPrefix(name, "-") {
		name = "_" + name[1:]
	}

	if err := catalog.CheckNewName(name); err != nil {
		return "", fmt.Errorf("the name of the file %s can't be a tensor's: give one with --name: %w", file, err)
	}
	return name, nil
}
