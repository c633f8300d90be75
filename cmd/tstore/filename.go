package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/tstore/tstore/catalog"
)

// stemWord stands in --name for the name that a file has by itself.
const stemWord = "{stem}"

// namesOfFiles returns the names that files get: those that the files have, or the one that was
// asked for, with their own in place of {stem}; each behind the prefix.
func namesOfFiles(files []takenFile, asked, prefix string) ([]string, error) {
	if asked == "" {
		asked = stemWord
	}
	stems := strings.Contains(asked, stemWord)
	if !stems && len(files) > 1 {
		return nil, fmt.Errorf("--name is for one file, found %d: %s in it stands for the name of each", len(files), stemWord)
	}

	names := make([]string, len(files))
	from := map[string]string{}

	// Two folders can have a file of the same name.
	for i, file := range files {
		stem := ""
		if stems {
			var err error
			if stem, err = file.stem(); err != nil {
				return nil, err
			}
		}
		name := prefix + strings.ReplaceAll(asked, stemWord, stem)
		if other, taken := from[name]; taken {
			return nil, fmt.Errorf("%s and %s would both be named %q: bring them in one by one, with --name", other, file.path, name)
		}
		names[i], from[name] = name, file.path
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
