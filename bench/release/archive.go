package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is part of an archive: what it holds, or the file that does.
type file struct {
	from    string
	content []byte
	to      string
	mode    int64
}

func (f file) bytes() ([]byte, error) {
	if f.from == "" {
		return f.content, nil
	}
	return os.ReadFile(f.from)
}

// archive writes the files to base.tar.gz, for Windows to base.zip, in a folder of that name.
func (r *release) archive(p platform, base string, files []file) (err error) {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.to, b.to) })
	write, name := r.tar, base+".tar.gz"
	if p.os == "windows" {
		write, name = r.zip, base+".zip"
	}

	out, err := os.Create(filepath.Join(r.dir, name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return write(out, base, files)
}

func (r *release) tar(w io.Writer, base string, files []file) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, f := range files {
		b, err := f.bytes()
		if err != nil {
			return err
		}
		h := &tar.Header{Name: base + "/" + f.to, Mode: f.mode, Size: int64(len(b)), ModTime: r.date, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(b); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func (r *release) zip(w io.Writer, base string, files []file) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		b, err := f.bytes()
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: base + "/" + f.to, Method: zip.Deflate, Modified: r.date}
		h.SetMode(os.FileMode(f.mode))
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := to.Write(b); err != nil {
			return err
		}
	}
	return z.Close()
}

// checksums writes SHA256SUMS, which `sha256sum -c` reads, of all that is in the folder.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(r.dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(b), e.Name())
	}
	return os.WriteFile(filepath.Join(r.dir, "SHA256SUMS"), []byte(text.String()), 0o644)
}
