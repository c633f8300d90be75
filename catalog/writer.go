package catalog

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// MaxWriters bounds Storage.Writers.
const MaxWriters = 256

// Writer is a part of a storage that is written in place, by whom; or that was when its writer
// died. A writer of several parts has several, with one key.
type Writer struct {
	// Key is the byte of the lock file that the writer holds exclusively as long as it is at work;
	// 0 when it is not known. No two writers have the same.
	Key   int64
	Who   string // the process, for a person
	Part  string // the selector of the part, as it was
	Since time.Time
	// First and End are the bytes of the payload between the part's first and its last element,
	// half-open.
	First, End int64
	// Item, Shape, Strides and Offset are the elements in it: their bytes, and their places, in
	// elements of the payload. Without a shape they are all bytes from First on.
	Item           int64
	Shape, Strides []int64
	Offset         int64
}

// Without returns the writers that do not have a key.
func (s *Storage) Without(key int64) []Writer {
	var left []Writer
	for _, w := range s.Writers {
		if w.Key != key {
			left = append(left, w)
		}
	}
	return left
}

// writersFault says why writers can't be stored, "" if they can.
func (s *Storage) writersFault() string {
	switch {
	case len(s.Writers) > MaxWriters:
		return fmt.Sprintf("%d parts of it are written in place, at most %d are allowed", len(s.Writers), MaxWriters)
	case len(s.Writers) > 0 && s.State == Clean:
		return "parts of it are written in place, and it is clean"
	}
	for i := range s.Writers {
		if err := s.Writers[i].check(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// check says whether w can be stored. Whether its layout lies between First and End is for readers
// to see.
func (w *Writer) check() error {
	switch {
	case w.Key < 0 || w.First < 0 || w.End < w.First || w.Offset < 0:
		return fmt.Errorf("writer %d of bytes %d to %d, from element %d", w.Key, w.First, w.End, w.Offset)
	case len(w.Shape) != len(w.Strides) || len(w.Shape) > MaxRank || len(w.Shape) > 0 && w.Item <= 0:
		return fmt.Errorf("writer of elements of %d bytes, with %d axes and %d strides", w.Item, len(w.Shape), len(w.Strides))
	case slices.ContainsFunc(w.Shape, func(n int64) bool { return n < 0 }):
		return fmt.Errorf("writer of shape %v", w.Shape)
	}
	return errors.Join(checkText("writer", w.Who), checkText("part", w.Part), checkTime(w.Since))
}

func (w *Writer) fields(c *wire.Coder) {
	c.FixedInt(1, &w.Key)
	c.Text(2, &w.Who)
	c.Text(3, &w.Part)
	c.Time(4, &w.Since)
	c.Count(5, &w.First)
	c.Count(6, &w.End)
	c.Count(7, &w.Item)
	c.ZigZags(8, MaxRank, &w.Shape)
	c.ZigZags(9, MaxRank, &w.Strides)
	c.Count(10, &w.Offset)
}
