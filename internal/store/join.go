package store

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// SourceError is the error of one of several sources.
type SourceError struct {
	Index int
	Err   error
}

func (e *SourceError) Error() string { return fmt.Sprintf("source %d: %v", e.Index+1, e.Err) }

// Unwrap returns the error of the source.
func (e *SourceError) Unwrap() error { return e.Err }

// Concatenate returns a Source of the elements of others, one after another along an axis.
func Concatenate(axis int, sources ...Source) (Source, error) {
	if len(sources) == 0 {
		return Source{}, errors.New("there is nothing to concatenate")
	}
	to := Source{Spec: Spec{DType: sources[0].DType, Shape: slices.Clone(sources[0].Shape)}}
	if axis < 0 {
		axis += len(to.Shape)
	}
	if axis < 0 || axis >= len(to.Shape) {
		return Source{}, fmt.Errorf("concatenate %d axes: there is no axis %d", len(to.Shape), axis)
	}

	j := &joiner{outer: 1, from: sources, blocks: make([]int64, len(sources))}
	for _, n := range to.Shape[:axis] {
		j.outer *= int64(n)
	}

	// Each source has a block for each index of the axes before.
	to.Shape[axis] = 0
	for i, src := range sources {
		block, err := j.blockOf(src, to.Spec, axis)
		if err != nil {
			return Source{}, &SourceError{Index: i, Err: err}
		}
		j.blocks[i] = block
		to.Shape[axis] += src.Shape[axis]
	}
	if _, err := to.NumBytes(); err != nil {
		return Source{}, err
	}
	to.Data = j
	return to, nil
}

// Stack is Concatenate along a new first axis.
func Stack(sources ...Source) (Source, error) {
	rows := slices.Clone(sources)
	for i := range rows {
		rows[i].Shape = slices.Insert(slices.Clone(rows[i].Shape), 0, 1)
	}
	return Concatenate(0, rows...)
}

// blockOf returns the bytes of a block of src, if it fits.
func (j *joiner) blockOf(src Source, to Spec, axis int) (int64, error) {
	if src.DType != to.DType {
		return 0, fmt.Errorf("expected elements of dtype %v as in the first, found %v", to.DType, src.DType)
	}
	same := slices.Clone(src.Shape)
	if len(same) == len(to.Shape) {
		same[axis] = to.Shape[axis]
	}
	if !slices.Equal(same, to.Shape) {
		return 0, fmt.Errorf("expected the shape of the first but for axis %d, found %s", axis, ShapeText(src.Shape))
	}
	if src.Order == ColumnMajor && len(src.Shape) > 1 {
		if err := src.mayTurn(); err != nil {
			return 0, err
		}
		if j.outer > 1 {
			return 0, fmt.Errorf("column-major elements can't be joined along axis %d: import them, and concatenate the tensors", axis)
		}
	}
	n, err := src.NumBytes()
	if err != nil || j.outer == 0 {
		return 0, err
	}
	if _, ok := src.Data.(io.ReaderAt); !ok && src.Data != nil && j.outer > 1 {
		return 0, fmt.Errorf("a stream can be joined along the first axis only, not along axis %d", axis)
	}
	return n / j.outer, nil
}

// joiner reads the blocks of sources in turn, outer times.
type joiner struct {
	outer  int64
	from   []Source
	blocks []int64

	round int64
	next  int
	now   io.Reader
	// left are the bytes to come of now.
	left int64
}

// Read implements io.Reader.
func (j *joiner) Read(p []byte) (int, error) {
	for j.left == 0 {
		if j.next == len(j.from) {
			j.next, j.round = 0, j.round+1
		}
		if j.round >= j.outer {
			return 0, io.EOF
		}
		if err := j.open(); err != nil {
			return 0, err
		}
	}

	n, err := j.now.Read(p[:min(int64(len(p)), j.left)])
	j.left -= int64(n)
	switch {
	case err == io.EOF && j.left > 0:
		return n, &SourceError{j.next - 1, fmt.Errorf("it has %d bytes less than its shape", j.left)}
	case err == io.EOF:
		err = nil
	case err == nil && j.left == 0 && j.outer == 1:
		err = j.atEnd()
	}
	return n, err
}

// open begins the next block.
func (j *joiner) open() error {
	src := &j.from[j.next]
	block := j.blocks[j.next]
	j.next++
	j.left = block

	at, ok := src.Data.(io.ReaderAt)
	switch {
	case src.Data == nil:
		j.now = zeros{}
	case j.outer > 1 && ok:
		j.now = io.NewSectionReader(at, j.round*block, block)
	case src.Order == ColumnMajor && len(src.Shape) > 1:
		if err := src.toRowMajor(); err != nil {
			return err
		}
		j.now = src.Data
		src.Data = nil // it is in memory only until the next one is
	default:
		j.now = src.Data
	}
	return nil
}

// atEnd lets a source that was read to its end say so, and what follows it.
func (j *joiner) atEnd() error {
	if _, ok := j.now.(zeros); ok {
		return nil
	}
	var more [1]byte
	n, err := j.now.Read(more[:])
	if n > 0 {
		return &SourceError{j.next - 1, errors.New("it has more elements than its shape")}
	}
	if err == io.EOF {
		return nil
	}
	return err
}
