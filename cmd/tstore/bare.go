package main

import (
	"context"
	"io"
	"os"

	"github.com/tstore/tstore/interchange/raw"
	"github.com/tstore/tstore/interchange/recognise"
)

// openBare opens bare elements. A note tells where they look like those of a format.
func (a *app) openBare(ctx context.Context, file string, o raw.Options) (input, error) {
	note := func(head []byte) { a.noteFormat(file, head, o) }
	return a.openOr(ctx, file,
		func(r io.Reader) (input, error) {
			return asInput(raw.NewReader(&glance{r: r, skip: o.Offset, see: note}, o))
		},
		func() (input, error) {
			in, err := asInput(raw.Open(file, o))
			if err == nil {
				note(firstBytes(file, o.Offset))
			}
			return in, err
		})
}

// noteFormat tells that bare elements begin as a file of some format. Text may well be elements of
// one byte.
func (a *app) noteFormat(file string, head []byte, o raw.Options) {
	f := recognise.Head(head)
	if f.IsZero() || f.IsText() && o.DType.Size() == 1 {
		return
	}
	if file == "-" {
		file = "standard input"
	}
	a.note("%s looks like %s, and is taken as bare elements, with all that is no element in it", printable(file), f.Name)
}

// firstBytes are those of a regular file behind skip, or nil: whoever reads it says what is wrong
// with it.
func firstBytes(file string, skip int64) []byte {
	if fi, err := os.Stat(file); err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, recognise.HeadBytes)
	n, _ := f.ReadAt(head, skip)
	return head[:n]
}

// glance reads a stream, and shows the first bytes behind skip when they come.
type glance struct {
	r    io.Reader
	skip int64
	see  func(head []byte)
}

// Read implements io.Reader. What is to be skipped is not read together with what follows.
func (g *glance) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if g.see != nil && n > 0 && g.skip <= 0 {
		g.see(p[:min(n, recognise.HeadBytes)])
		g.see = nil
	}
	g.skip -= int64(n)
	return n, err
}
