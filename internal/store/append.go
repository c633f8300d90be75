package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Append adds the elements of src at the end of the first axis of a tensor. src has the dtype of
// the tensor and its shape but for the first axis; with the first axis missing it is one more row.
// The elements are durable before the new length is committed.
func (s *Store) Append(ctx context.Context, name string, src Source) error {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return err
	}
	defer end()
	if err := s.append(ctx, name, oneSource(src)); err != nil {
		return fmt.Errorf("append to %q: %w", name, err)
	}
	return nil
}

// AppendAll adds the elements of one source after another, as Append does, until next returns
// io.EOF.
func (s *Store) AppendAll(ctx context.Context, name string, next func() (Source, error)) error {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return err
	}
	defer end()

	first, err := next()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = s.append(ctx, name, &newRows{first: first, next: next})
	}

	if err != nil {
		return fmt.Errorf("append to %q: %w", name, err)
	}
	return nil
}

func (s *Store) append(ctx context.Context, name string, rows *newRows) error {
	info, err := s.StatSelected(ctx, Selector{Name: name})
	if err != nil {
		return err
	}

	if _, err := rowsOf(info).fit(&rows.first); err != nil {
		return err
	}

	if !info.growsInPlace() {
		// A copy leaves its views behind, and a tensor that fills its file does not.
		moved, err := s.takeOut(ctx, name)
		if err == nil && !moved {
			moved, err = s.appendByCopy(ctx, info, rows)
		}
		if err != nil || !moved {
			return err
		}
		return s.append(ctx, name, rows)
	}

	// A tensor that fills its own file grows in place. Begin again if it no longer does.
	g, err := s.beginGrowth(ctx, name, info.Record.Storage)
	if errors.Is(err, errNotGrowable) || errors.Is(err, engine.ErrMoved) {
		return s.append(ctx, name, rows)
	}
	if err != nil {
		return err
	}

	defer g.end()
	return g.grow(ctx, rows)
}

// ShapeText spells a shape as NumPy does: (3, 4), (3,), ().
func ShapeText(shape []int) string {
	out := []byte{'('}
	for i, n := range shape {
		if i > 0 {
			out = append(out, ' ')
		}
		out = fmt.Appendf(out, "%d,", n)
	}
	if len(shape) > 1 {
		out = out[:len(out)-1]
	}
	return string(append(out, ')'))
}

// toRowMajor turns column-major elements round in memory, since the rows of such a stream lie
// scattered over all of it.
func (src *Source) toRowMajor() error {
	n, err := src.NumBytes()
	if err != nil {
		return err
	}
	if err := src.mayTurn(); err != nil {
		return err
	}

	l, err := src.Layout()
	if err != nil {
		return err
	}

	b := make([]byte, n)
	if src.Data != nil {
		if err := readExactly(src.Data, b); err != nil {
			return err
		}
	}

	// Walk the columns in C order.
	turned := make([]byte, 0, n)
	err = withBytes(b, src.DType, l, func(t *view.Tensor) error {
		return t.Blocks(1<<20, func(p []byte) error {
			turned = append(turned, p...)
			return nil
		})
	})
	src.Data, src.Order = bytes.NewReader(turned), RowMajor
	return err
}

// withBytes runs fn on a tensor over bytes in memory.
func withBytes(b []byte, dt dtype.Type, l view.Layout, fn func(*view.Tensor) error) error {
	st := mmapstore.FromBytes(b)
	defer st.Release()
	t, err := view.NewTensor(st, dt, l)
	if err != nil {
		return err
	}
	defer t.Close()
	return fn(t)
}

const maxTurnedBytes = 128 << 20

// mayTurn returns an error if column-major elements are too many to be turned round.
func (src *Source) mayTurn() error {
	n, err := src.NumBytes()
	if err == nil && n > maxTurnedBytes {
		err = fmt.Errorf("column-major elements of %d bytes are more than the %d that are turned round in memory: import them, and append the tensor", n, maxTurnedBytes)
	}
	return err
}

// growsInPlace reports whether rows can be added at the end of the tensor's file.
func (i *Info) growsInPlace() bool {
	return !i.Storage.Adopted && record.CoversWhole(i.Record, i.Layout, i.Storage)
}

// appendByCopy replaces the tensor that seen describes by a dense copy with the rows at its end. If
// the name stands for another tensor since, or for the same one in another file, appendByCopy
// changes nothing, and moved is true: a copy might leave views behind that it need not leave.
func (s *Store) appendByCopy(ctx context.Context, seen *Info, rows *newRows) (moved bool, err error) {
	name := seen.Record.Name
	t, err := s.Get(ctx, name)
	if err != nil {
		return false, err
	}
	defer t.Close()

	if !SameRecord(&t.Info.Record, &seen.Record) || t.Info.growsInPlace() {
		return true, nil
	}

	if t.Info.Storage.Seal != nil {
		// A new seal must not cover bytes that differ from what was sealed.
		if err := s.verifyOpened(ctx, t); err != nil {
			return false, err
		}
	}

	return false, s.Join(ctx, func(tx *Tx) error {
		if err := tx.AtCommit("replace", name, func(c *catalog.Tx) error {
			return errors.Join(s.MustBeAsSeen(c, name, t.Info), mustBeSealedAs(c, t.Info))
		}); err != nil {
			return err
		}

		rec, err := tx.writeExtended(name, t, rows)
		if err != nil {
			return tx.Fail("replace", name, err)
		}
		return tx.replaceRecord(rec)
	})
}

// writeExtended stores a dense copy of t with rows at its end, in a file of its own.
func (tx *Tx) writeExtended(name string, t *Tensor, rows *newRows) (*catalog.Record, error) {
	old := FromTensor(t.Tensor)
	rec, _, n, err := old.Record(name)
	if err != nil {
		return nil, err
	}
	st, err := tx.newFile(rec, old.Spec, n)
	if err != nil {
		return nil, err
	}
	if t.Info.Storage.Seal != nil {
		st.Sums = blocksum.NewCollector(st.Storage.ID, 0)
	}
	if err := st.CopyFrom(tx.Ctx, old.Data, old.Progress, n); err != nil {
		return nil, err
	}

	return rec, tx.addRows(rec, st, n, old.Spec, rows)
}

// MustBeAsSeen returns ErrConflict if the tensor is no longer what seen says, or is being changed.
// It returns ErrChanged if the tensor is in an adopted file that changed.
func (s *Store) MustBeAsSeen(c *catalog.Tx, name string, seen *Info) error {
	rec, err := getTensor(c, name)
	if err != nil {
		return err
	}
	st, err := c.Storage(rec.Storage)
	if err != nil {
		return err
	}

	if st.Adopted {
		if err := engine.CheckAdopted(s.Engine.FS, st); err != nil {
			return err
		}
	}

	// A change of the state, the record or the version each means that others have written.
	if st.State != seen.Storage.State {
		return fmt.Errorf("%w: its storage was %v and is %v now: try again", ErrConflict, seen.Storage.State, st.State)
	}
	if !SameRecord(&rec, &seen.Record) {
		return fmt.Errorf("%w: the name belongs to another tensor now: try again", ErrConflict)
	}
	if now := record.Version(&rec, &st); now != seen.Version() {
		return fmt.Errorf("%w: version %d was read, it is %d now: try again", ErrConflict, seen.Version(), now)
	}
	return nil
}

// SameRecord reports whether two records of one name are the same, but for changes of the elements.
// Versions alone don't tell: they begin anew with a tensor of the same name, and go on from an
// older one in a tensor that was deleted and is restored.
func SameRecord(a, b *catalog.Record) bool {
	return a.Kind == b.Kind && a.Storage == b.Storage && a.Version == b.Version && a.Created.Equal(b.Created) && a.Modified.Equal(b.Modified) &&
		a.DType == b.DType && a.Offset == b.Offset && slices.Equal(a.Shape, b.Shape) && slices.Equal(a.Strides, b.Strides) &&
		a.Formula.Text == b.Formula.Text
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
