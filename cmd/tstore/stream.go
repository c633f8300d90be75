package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/tstore/tstore/interchange/npy"
)

// openStream opens what can only be read from its beginning to its end: standard input when the
// name is "-", or a named pipe. Waits for either end when ctx does. It is nil for other files.
func (a *app) openStream(ctx context.Context, file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(a.stdin), nil
	}
	if !isPipe(file) {
		return nil, nil // whoever opens it says what is wrong with it
	}
	f, err := openPipe(file)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{interruptible(ctx, f), f}, nil
}

// isPipe reports whether a file is a named pipe.
func isPipe(file string) bool {
	fi, err := os.Stat(file)
	return err == nil && fi.Mode()&os.ModeNamedPipe != 0
}

// withStream runs fn on the names of files, one of which may be a stream: "-" for stdin. A named
// pipe becomes one.
func (a *app) withStream(ctx context.Context, files []string, fn func(files []string, stdin io.Reader) error) error {
	i := slices.IndexFunc(files, isPipe)
	if i < 0 || slices.Contains(files, "-") {
		return fn(files, a.stdin)
	}
	r, err := a.openStream(ctx, files[i])
	if err != nil {
		return err
	}
	files = slices.Clone(files)
	files[i] = "-"
	return errors.Join(fn(files, r), r.Close())
}

// streamed is an input that is read from a stream, which it closes.
type streamed struct {
	input
	from io.Closer
}

func (s streamed) Close() error { return errors.Join(s.input.Close(), s.from.Close()) }

// openOr opens a stream as one kind of input, or a file as another.
func (a *app) openOr(ctx context.Context, file string, stream func(io.Reader) (input, error), open func() (input, error)) (input, error) {
	r, err := a.openStream(ctx, file)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return open()
	}
	in, err := stream(r)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return streamed{in, r}, nil
}

// openNpy opens a .npy file, or a stream of one.
func (a *app) openNpy(ctx context.Context, file string, o npy.Options) (input, error) {
	return a.openOr(ctx, file,
		func(r io.Reader) (input, error) { return asInput(o.NewReader(r)) },
		func() (input, error) { return asInput(o.Open(file)) })
}

// openHinted opens a .npy file, with the type in o if it does not say its own. A stream, which
// can't be read twice, has to.
func (a *app) openHinted(ctx context.Context, file string, o npy.Options) (input, error) {
	in, err := a.openNpy(ctx, file, npy.Options{AllowTrailing: o.AllowTrailing})
	if err == nil || !o.DType.Valid() {
		return in, err
	}
	if fi, failed := os.Stat(file); failed != nil || !fi.Mode().IsRegular() {
		return nil, err
	}
	if in, hinted := a.openNpy(ctx, file, o); hinted == nil {
		return in, nil
	}
	return nil, err
}
