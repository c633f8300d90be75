package npy

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/interchange/internal/payload"
	"github.com/tstore/tstore/internal/npyheader"
)

// A File is a .npy file, or a stream of one. It is not safe for concurrent use, but the Data of its
// Source is, if it is an io.ReaderAt.
type File struct {
	spec     tstore.Spec
	swapped  bool
	trailing bool      // bytes may follow the elements
	offset   int64     // of the elements in the file, in bytes
	size     int64     // of the elements, in bytes
	file     *os.File  // nil for a reader that is not ours to close
	at       bool      // file can be read at any position
	r        io.Reader // at the first element, where at is false
}

// Open opens a .npy file and reads its header. The caller closes it, after the Source has been
// used. A file that is shorter or longer than its header says is an error.
//
// A path that is no regular file, such as a named pipe, is read as a stream.
func Open(path string) (*File, error) { return Options{}.Open(path) }

// NewReader reads the header of a .npy file from a stream. Its Source ends with an error if bytes
// follow the last element. Closing the File does not close r.
func NewReader(r io.Reader) (*File, error) { return Options{}.NewReader(r) }

// Open is the function [Open] with options.
func (o Options) Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	file, err := o.open(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open .npy file %q: %w", path, err), f.Close())
	}
	return file, nil
}

// NewReader is the function [NewReader] with options.
func (o Options) NewReader(r io.Reader) (*File, error) {
	f, err := o.readHeader(r)
	if err != nil {
		return nil, fmt.Errorf("read .npy stream: %w", err)
	}
	return f, nil
}

func (o Options) open(f *os.File) (*File, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}

	if fi.IsDir() {
		return nil, folderError(f.Name())
	}

	file, err := o.readHeader(f)
	if err != nil {
		return nil, err
	}

	file.file, file.at = f, fi.Mode().IsRegular()
	if !file.at {
		return file, nil
	}

	return file, file.checkSize(fi.Size())
}

// checkSize compares the size of the file with what the header says.
func (f *File) checkSize(fileBytes int64) error {
	switch have := fileBytes - f.offset; {
	case have < f.size:
		return fmt.Errorf("shape %v of %v needs %d bytes behind the header, the file has %d", f.spec.Shape, f.spec.DType, f.size, have)
	case have > f.size && !f.trailing:
		return payload.TrailingError(have-f.size, false)
	}
	return nil
}

func (o Options) readHeader(r io.Reader) (*File, error) {
	head := &recorder{r: r}
	h, err := npyheader.Read(head)
	if err != nil {
		return nil, head.explain(err)
	}
	t, err := o.resolve(h)
	if err != nil {
		return nil, err
	}
	sp := tstore.Spec{DType: t, Shape: h.Shape}
	if h.Fortran {
		sp.Order = tstore.ColumnMajor
	}
	return &File{spec: sp, swapped: h.Swapped, trailing: o.AllowTrailing, offset: h.DataOffset, size: h.PayloadBytes(), r: r}, nil
}

// Source returns the elements, for tstore's Import: little endian, in the order of the file. It
// borrows the file. That of a stream can be read once.
func (f *File) Source() tstore.Source {
	if f.at {
		from := tstore.Origin{File: f.file, Offset: f.offset, BigEndian: f.swapped}
		return tstore.Source{Spec: f.spec, Data: from.Data(f.spec.DType, f.size), Origin: &from}
	}
	return tstore.Source{Spec: f.spec, Data: payload.Stream(f.r, f.size, f.spec.DType, f.swapped, !f.trailing)}
}

// Foreign returns where the elements lie, for tstore's Adopt. It returns an error for streams and
// for big-endian elements, which only Import can take. It stays good when the File is closed.
func (f *File) Foreign() (tstore.Foreign, error) {
	switch {
	case !f.at:
		return tstore.Foreign{}, errors.New("adopt .npy array: a stream can't be used in place: import it instead")
	case f.swapped:
		return tstore.Foreign{}, fmt.Errorf("adopt .npy file %q: big-endian elements can't be used in place: import the file instead", f.file.Name())
	}
	return tstore.Foreign{Spec: f.spec, Path: f.file.Name(), Offset: f.offset}, nil
}

// Close closes the file that Open opened.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}
