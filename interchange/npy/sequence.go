package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tstore/tstore"
)

// A Sequence is arrays that follow one another in a file or a stream, as several calls of
// numpy.save leave them. It is not safe for concurrent use.
type Sequence struct {
	opts Options
	file *os.File // nil for a reader that is not ours to close
	size int64    // of a file that can be read at any position; else -1
	pos  int64    // of the next array in such a file
	r    io.Reader
	last io.Reader // the elements of the last array of a stream
	n    int       // arrays so far
}

// OpenSequence opens a file of arrays. The caller closes it, after the last Source has been used.
//
// A path that is no regular file, such as a named pipe, is read as a stream.
func OpenSequence(path string) (*Sequence, error) { return Options{}.OpenSequence(path) }

// NewSequence reads arrays from a stream. Closing the Sequence does not close r.
func NewSequence(r io.Reader) *Sequence { return Options{}.NewSequence(r) }

// OpenSequence is the function [OpenSequence] with options. AllowTrailing leaves out what follows
// the first array.
func (o Options) OpenSequence(path string) (*Sequence, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}

	fi, err := f.Stat()
	if err == nil && fi.IsDir() {
		err = folderError(path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open .npy file %q: %w", path, err), f.Close())
	}

	s := o.NewSequence(f)
	s.file = f
	if fi.Mode().IsRegular() {
		s.size = fi.Size()
	}
	return s, nil
}

// NewSequence is the function [NewSequence] with options. AllowTrailing leaves out what follows the
// first array.
func (o Options) NewSequence(r io.Reader) *Sequence { return &Sequence{opts: o, r: r, size: -1} }

// Size returns the size of the file in bytes, or -1 for a stream.
func (s *Sequence) Size() int64 { return s.size }

// Next returns the next array, or io.EOF behind the last. There is at least one: a file without any
// is an error. It skips what is left of the Source before.
func (s *Sequence) Next() (tstore.Source, error) {
	if s.n > 0 && s.opts.AllowTrailing {
		return tstore.Source{}, io.EOF
	}

	next := s.nextInStream
	if s.size >= 0 {
		next = s.nextInFile
	}

	f, err := next()
	if err == io.EOF {
		return tstore.Source{}, err
	}

	s.n++
	if err != nil {
		return tstore.Source{}, fmt.Errorf("array %d of %s: %w", s.n, s.what(), err)
	}

	src := f.Source()
	s.last = src.Data
	return src, nil
}

// what names the file in errors.
func (s *Sequence) what() string {
	if s.file == nil {
		return "the .npy stream"
	}
	return fmt.Sprintf(".npy file %q", s.file.Name())
}

func (s *Sequence) nextInFile() (*File, error) {
	if s.n > 0 && s.pos >= s.size {
		return nil, io.EOF
	}
	f, err := s.header(io.NewSectionReader(s.file, s.pos, s.size-s.pos))
	if err != nil {
		return nil, err
	}
	f.file, f.at = s.file, true
	f.offset += s.pos
	s.pos = f.offset + f.size
	return f, f.checkSize(s.size)
}

func (s *Sequence) nextInStream() (*File, error) {
	r := s.r

	// Skip what is left of the array before, and look for one more byte: only then is an end of the
	// stream an end of the sequence, and not a torn header.
	if s.n > 0 {
		if _, err := io.Copy(io.Discard, s.last); err != nil {
			return nil, err
		}
		var first [1]byte
		if _, err := io.ReadFull(s.r, first[:]); err != nil {
			return nil, err // io.EOF: the last array has been read
		}
		r = io.MultiReader(bytes.NewReader(first[:]), s.r)
	}

	f, err := s.header(r)
	if err != nil {
		return nil, err
	}

	f.r = s.r
	return f, nil
}

// header reads the header of an array, which others may follow.
func (s *Sequence) header(r io.Reader) (*File, error) {
	o := s.opts
	o.AllowTrailing = true
	return o.readHeader(r)
}

// Close closes the file that OpenSequence opened.
func (s *Sequence) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
