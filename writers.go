package tstore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/view"
)

// firstWriterKey is where the lock bytes of in-place writers begin, each of
// which says that its writer is at work.
const firstWriterKey = 1 << 61

// asWriter describes that info's part is written in place.
func (i *Info) asWriter(key int64, since time.Time) catalog.Writer {
	w := catalog.Writer{Key: key, Who: writerName(), Part: i.partText(), Since: since}
	w.First, w.End = i.bytes()
	if !i.Layout.IsDense() {
		w.Item, w.Offset = int64(i.DType.Size()), int64(i.Layout.Offset())
		for axis := range i.Layout.Rank() {
			w.Shape = append(w.Shape, int64(i.Layout.Dim(axis)))
			w.Strides = append(w.Strides, int64(i.Layout.Stride(axis)))
		}
	}
	return w
}

// partText is the selector of the part, or the name where that is too long.
func (i *Info) partText() string {
	text := i.Selector.String()
	if len(text) > catalog.MaxTextBytes {
		return i.Record.Name
	}
	return text
}

// writers are the parts of a storage that are written in place, or were when
// their writer died. A storage that is dirty as a whole has one, without a key.
func writers(st catalog.Storage) []catalog.Writer {
	if st.State == catalog.Dirty && len(st.Writers) == 0 {
		return []catalog.Writer{{Who: st.Writer, Part: "all of it", End: st.PayloadBytes}}
	}
	return st.Writers
}

// writersOf are the writers of bytes of the part.
func (i *Info) writersOf(all []catalog.Writer) []catalog.Writer {
	return slices.DeleteFunc(slices.Clone(all), func(w catalog.Writer) bool { return !i.meets(w) })
}

// meets reports whether the part has bytes that a writer has, too, or may have.
func (i *Info) meets(w catalog.Writer) bool {
	if first, end := i.bytes(); end <= w.First || w.End <= first {
		return false
	}
	l, size, err := writerLayout(w)
	return err != nil || view.MayOverlap(i.Layout, i.DType.Size(), l, size) != view.OverlapNo
}

// writerLayout are the elements that a writer has.
func writerLayout(w catalog.Writer) (l view.Layout, size int, err error) {
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

// isAtWork reports whether the writer lives.
func (s *Store) isAtWork(id catalog.ID, w catalog.Writer) (bool, error) {
	if w.Key == 0 {
		return filelock.Taken(s.lockPath(), storageKey(id), filelock.Shared)
	}
	return filelock.Taken(s.lockPath(), w.Key, filelock.Shared)
}

// deadWriters are those that left parts of a storage unfinished.
func (s *Store) deadWriters(st catalog.Storage) ([]catalog.Writer, error) {
	var dead []catalog.Writer
	for _, w := range writers(st) {
		atWork, err := s.isAtWork(st.ID, w)
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

// tell describes writers for an error message.
func tell(all []catalog.Writer) string {
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

// unfinishedWriting is the error of what writers have left that died, were interrupted or failed.
func unfinishedWriting(dead []catalog.Writer) error {
	return fmt.Errorf("%w: %s did not finish writing it in place: look at it with dirty reads allowed, then accept it with: tstore fsck --accept-dirty, or restore it", ErrDirty, tell(dead))
}
