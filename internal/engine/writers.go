package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/view"
)

// WriterName describes this process. Others read it in errors, when they wait for its writing.
func WriterName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	return fmt.Sprintf("process %d (%s) on %s", os.Getpid(), filepath.Base(os.Args[0]), host)
}

// FirstWriterKey is where the lock bytes of in-place writers begin. A writer at work has its byte
// locked.
const FirstWriterKey = 1 << 61

// Writers returns the parts of a storage that are written in place, or were when their writer died.
// A storage that is dirty as a whole has one, without a key.
func Writers(st catalog.Storage) []catalog.Writer {
	if st.State == catalog.Dirty && len(st.Writers) == 0 {
		return []catalog.Writer{{Who: st.Writer, Part: "all of it", End: st.PayloadBytes}}
	}
	return st.Writers
}

// WriterLayout returns the elements that a writer has.
func WriterLayout(w catalog.Writer) (l view.Layout, size int, err error) {
	if len(w.Shape) == 0 {
		l, err = view.MakeLayout([]int{int(w.End - w.First)}, []int{1}, int(w.First))
		return l, 1, err
	}
	shape, strides := make([]int, len(w.Shape)), make([]int, len(w.Shape))
	for axis := range shape {
		shape[axis], strides[axis] = int(w.Shape[axis]), int(w.Strides[axis])
	}
	l, err = view.MakeLayout(shape, strides, int(w.Offset))
	return l, int(w.Item), err
}

// IsAtWork reports whether the writer lives.
func (s *Store) IsAtWork(id catalog.ID, w catalog.Writer) (bool, error) {
	if w.Key == 0 {
		return filelock.Taken(s.LockPath(), StorageKey(id), filelock.Shared)
	}
	return filelock.Taken(s.LockPath(), w.Key, filelock.Shared)
}

// DeadWriters returns the dead writers that left parts of a storage unfinished.
func (s *Store) DeadWriters(st catalog.Storage) ([]catalog.Writer, error) {
	var dead []catalog.Writer
	for _, w := range Writers(st) {
		atWork, err := s.IsAtWork(st.ID, w)
		if err != nil {
			return nil, err
		}
		if !atWork {
			dead = append(dead, w)
		}
	}
	return dead, nil
}

// maxWritersTold bounds how many writers an error describes.
const maxWritersTold = 3

// Tell describes writers for an error message.
func Tell(all []catalog.Writer) string {
	var told []string
	for i, w := range all {
		if i == maxWritersTold {
			told = append(told, fmt.Sprintf("%d others", len(all)-i))
			break
		}
		text := fmt.Sprintf("%s (%s, bytes %d to %d", w.Who, w.Part, w.First, w.End)
		if !w.Since.IsZero() {
			text += ", since " + w.Since.Local().Format(time.DateTime)
		}
		told = append(told, text+")")
	}
	return strings.Join(told, " and ")
}

// UnfinishedWriting returns the ErrDirty for writers that died, were interrupted or failed before
// they had finished.
func UnfinishedWriting(dead []catalog.Writer) error {
	return fmt.Errorf("%w: %s did not finish writing it in place: look at it with dirty reads allowed, then accept it with: tstore fsck --accept-dirty, or restore it", ErrDirty, Tell(dead))
}
