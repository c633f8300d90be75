package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tstore/tstore"
)

// namesFolder reports whether the target of an export is a folder: it is one, or ends in a slash.
func namesFolder(target string) bool {
	return strings.HasSuffix(target, "/") || strings.HasSuffix(target, string(filepath.Separator)) || isFolder(target)
}

// exportAll writes what a word stands for to a file, or what several do to files in a folder.
func (a *app) exportAll(ctx context.Context, words []string, target string, f *exportFlags) error {
	_, perhapsSeveral := parsePattern(words[0])
	if !namesFolder(target) && !perhapsSeveral && !f.recursive && len(words) == 1 {
		return a.export(ctx, words[0], target, f)
	}

	return a.reading(ctx, func(s *tstore.Store) error {
		p := picker{app: a, store: s, recursive: f.recursive, expressions: true, kinds: withElements}
		picks, err := p.pick(ctx, words)
		switch {
		case err != nil:
			return err
		case namesFolder(target):
			return a.exportInto(ctx, s, picks, target, f)
		case len(words) == 1 && len(picks) == 1 && picks[0].text == words[0]: // a product
			return a.export(ctx, words[0], target, f)
		}
		return fmt.Errorf("%s is no folder: only one takes several tensors, %s/", printable(target), target)
	})
}

// exportInto writes picks to files in a folder.
func (a *app) exportInto(ctx context.Context, s *tstore.Store, picks []pick, folder string, f *exportFlags) error {
	files, err := filesOf(picks, folder, f)
	if err != nil {
		return err
	}
	for i, one := range picks {
		if err := a.exportNamed(ctx, s, one.text, files[i], f); err != nil {
			return err
		}
	}
	return nil
}

// filesOf returns the files of picks in a folder. No two are one file, and without overwrite none is
// there, so that what can't be written is told before anything is.
func filesOf(picks []pick, folder string, f *exportFlags) ([]string, error) {
	ext := ".npy"
	if f.asRaw {
		ext = rawExtensions[0]
	}

	files := make([]string, len(picks))
	from := map[string]string{}
	for i, one := range picks {
		if one.inner == "" {
			return nil, fmt.Errorf("%s has no name of its own to have in %s: name the file", printable(one.text), folder)
		}
		files[i] = filepath.Join(folder, filepath.FromSlash(one.inner)) + ext

		if other, taken := from[files[i]]; taken {
			return nil, fmt.Errorf("%s and %s would both be %s: export them one by one", printable(other), printable(one.text), printable(files[i]))
		}
		from[files[i]] = one.text

		if _, err := os.Lstat(files[i]); err == nil && !f.overwrite && !f.force {
			return nil, errIsThere(files[i])
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return files, nil
}

// exportNamed writes what sel selects to a file, whose folder is made where it is missing.
func (a *app) exportNamed(ctx context.Context, s *tstore.Store, sel, file string, f *exportFlags) error {
	encode, err := encoderFor(file, f.asRaw)
	if err != nil {
		return err
	}
	opts, done, err := f.how.options(a, "compute "+printable(sel))
	if err != nil {
		return err
	}
	defer done()
	if s.Holds(filepath.Dir(file)) {
		return errInStore(file)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return a.exportFile(ctx, s, sel, file, encode, opts, f.overwrite || f.force)
}
