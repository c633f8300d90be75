package work

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// madeTensor is a tensor that an evaluation makes: a small one in memory, a larger one in the file
// that becomes its storage.
type madeTensor struct {
	name   string
	number int
	// old is what has the name now; nil when nothing does.
	old  *catalog.Entry
	spec store.Spec
	// AxisNames are the names of the axes if nothing has the name by the end.
	dims []string

	storage *mmapstore.Storage
	tensor  *view.Tensor
	file    *engine.Staged // nil in memory
	record  *catalog.Record
}

// make gives statement i of a batch a new tensor to write into, unless a later statement makes a
// tensor of the same name.
func (ev *evaluation) make(tx *store.Tx, batch []compute.Statement, i int, p *compute.Plan) error {
	name := batch[i].Target
	if slices.ContainsFunc(batch[i+1:], func(st compute.Statement) bool { return st.Target == name }) {
		return nil
	}

	out := p.Outputs()[i]
	old := ev.old(name)
	if old != nil && ev.opts.NewOnly {
		return fmt.Errorf("make %q: %w", name, store.ErrExists)
	}

	m := &madeTensor{name: name, number: len(ev.made), old: old, spec: ev.specOf(out, old), dims: ev.specOf(out, nil).Dims}
	if err := m.open(tx); err != nil {
		return fmt.Errorf("make %q: %w", name, err)
	}
	// The one of an earlier batch stays readable until all is done.
	if earlier := ev.made[name]; earlier != nil {
		ev.superseded = append(ev.superseded, earlier)
		if err := tx.Drop(earlier.file); err != nil {
			return err
		}
	}
	if ev.made == nil {
		ev.made = map[string]*madeTensor{}
	}
	ev.made[name] = m
	return p.SetDst(i, m.tensor)
}

// specOf describes a tensor that a statement makes, in the place of old, which may be nil.
func (ev *evaluation) specOf(out compute.Output, old *catalog.Entry) store.Spec {
	sp := store.Spec{DType: out.DType, Shape: out.Shape}
	if old == nil || len(old.Record.Dims) != len(out.Shape) {
		sp.Dims = out.Dims
	}
	if ev.label != nil {
		ev.label(&sp, out.Dims)
	}
	return sp
}

// open makes room for the elements: in memory if the tensor is small enough to share a file, else
// in a staged file.
func (m *madeTensor) open(tx *store.Tx) error {
	rec, l, n, err := m.spec.Record(m.name)
	if err != nil {
		return err
	}

	m.record = rec
	if n <= store.PackLimit {
		m.storage, err = mmapstore.New(n)
	} else {
		if m.file, err = tx.StageFile(rec, m.spec, n); err == nil {
			m.storage, err = m.file.Mapped()
		}
	}
	if err != nil {
		return err
	}

	m.tensor, err = view.NewTensor(m.storage, m.spec.DType, l)
	return err
}

// publish adds the tensor to the transaction.
func (m *madeTensor) publish(ev *evaluation, tx *store.Tx) error {
	var err error
	if m.file == nil {
		m.record, err = tx.Write(m.name, store.Source{Spec: m.spec, Data: m.tensor.Reader()})
	} else {
		err = errors.Join(ev.store.Engine.SyncMapped(ev.ctx, m.storage), tx.PutStorage(m.file, m.name))
	}

	if err != nil {
		return tx.Fail("make", m.name, err)
	}
	switch {
	case ev.materializing != nil:
		return ev.materializing.record(ev, tx, m.record)
	case ev.opts.NewOnly:
		return tx.CreateRecord(m.record)
	case m.old == nil:
		return tx.CreateSeenFree(m.record)
	}
	return tx.PutRecord(m.record, m.dims)
}

func (m *madeTensor) close() error {
	var errs []error
	if m.tensor != nil {
		errs = append(errs, m.tensor.Close())
	}
	switch {
	case m.file != nil && m.storage != nil:
		errs = append(errs, m.file.FreeLater(m.storage.Release))
	case m.storage != nil:
		errs = append(errs, m.storage.Release())
	}
	return errors.Join(errs...)
}

// order returns what has been made, in the order in which it was.
func (ev *evaluation) order() []*madeTensor {
	var all []*madeTensor
	for _, m := range ev.made {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *madeTensor) int { return a.number - b.number })
	return all
}
