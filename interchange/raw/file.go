package raw

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/interchange/internal/payload"
)

// A File is a file, or a stream, of bare elements. It is not safe for concurrent use, but the Data
// of its Source is, if it is an io.ReaderAt.
type File struct {
	spec tstore.Spec
	opts Options
	size int64     // of the elements, in bytes
	file *os.File  // nil for a reader that is not ours to close
	at   bool      // file can be read at any position
	r    io.Reader // at the first element, where at is false
}

// Open opens a file of elements. The caller closes it, after the Source has been used.
//
// A path that is no regular file, such as a named pipe, is read as a stream.
func Open(path string, o Options) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	file, err := open(f, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open raw file %q: %w", path, err), f.Close())
	}
	return file, nil
}

func open(f *os.File, o Options) (*File, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if fi.IsDir() {
		return nil, errors.New("it is a folder")
	}

	var file *File
	if fi.Mode().IsRegular() {
		file, err = newFile(o, fi.Size())
	} else {
		file, err = newStream(f, o)
	}
	if err != nil {
		return nil, err
	}

	file.file, file.at = f, fi.Mode().IsRegular()
	return file, nil
}

// NewReader reads elements from a stream, from its present position plus o.Offset on. Every axis of
// the shape must be given. Closing the File does not close r.
func NewReader(r io.Reader, o Options) (*File, error) {
	f, err := newStream(r, o)
	if err != nil {
		return nil, fmt.Errorf("read raw stream: %w", err)
	}
	return f, nil
}

func newStream(r io.Reader, o Options) (*File, error) {
	f, err := newFile(o, unknownSize)
	if err != nil {
		return nil, err
	}
	f.r = r
	if n, err := io.CopyN(io.Discard, r, o.Offset); err != nil {
		return nil, fmt.Errorf("skip %d bytes: found %d: %w", o.Offset, n, err)
	}
	return f, nil
}

func newFile(o Options, fileBytes int64) (*File, error) {
	sp, size, err := o.spec(fileBytes)
	if err != nil {
		return nil, err
	}
	return &File{spec: sp, opts: o, size: size}, nil
}

// Source returns the elements, for tstore's Import: little endian, in the order of the options. It
// borrows the file. That of a stream can be read once.
func (f *File) Source() tstore.Source {
	if f.at {
		from := tstore.Origin{File: f.file, Offset: f.opts.Offset, BigEndian: f.opts.BigEndian}
		return tstore.Source{Spec: f.spec, Data: from.Data(f.spec.DType, f.size), Origin: &from}
	}
	return tstore.Source{Spec: f.spec, Data: payload.Stream(f.r, f.size, f.spec.DType, f.opts.BigEndian, !f.opts.AllowTrailing)}
}

// Foreign returns where the elements lie, for tstore's Adopt. It returns an error for streams and
// for elements that have to be swapped, which only Import can take. It stays good when the File is
// closed.
func (f *File) Foreign() (tstore.Foreign, error) {
	switch {
	case !f.at:
		return tstore.Foreign{}, errors.New("adopt raw elements: a stream can't be used in place: import it instead")
	case f.opts.BigEndian && f.spec.DType.Size() > 1:
		return tstore.Foreign{}, fmt.Errorf("adopt raw file %q: big-endian elements can't be used in place: import the file instead", f.file.Name())
	}
	return tstore.Foreign{Spec: f.spec, Path: f.file.Name(), Offset: f.opts.Offset}, nil
}

// Close closes the file that Open opened.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}
