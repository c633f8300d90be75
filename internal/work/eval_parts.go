package work

import (
	"errors"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// maxLazyDepth is how deep lazy names are followed to find what they read.
const maxLazyDepth = 32

// partsOf returns the parts of one storage that statements write in place, and the parts that they
// read besides.
func (ev *evaluation) partsOf(id catalog.ID, stmts []compute.Statement) (writes, reads []*store.Info, err error) {
	for _, st := range stmts {
		if st.Target != "" && (changesElements(st) || ev.writesInPlace(st.Target)) {
			part, err := ev.partIn(id, st.Target, st.Chain)
			if err != nil {
				return nil, nil, err
			}
			writes = addPart(writes, part)
		}

		read, err := ev.readsOf(id, st.Expr, maxLazyDepth)
		if err != nil {
			return nil, nil, err
		}
		for _, part := range read {
			reads = addPart(reads, part)
		}
	}
	return writes, reads, nil
}

// partIn returns a part of a tensor in the storage. It returns nil if the tensor is in another
// storage or missing, and the whole tensor if the views don't say which part.
func (ev *evaluation) partIn(id catalog.ID, name string, chain view.Chain) (*store.Info, error) {
	sel, err := store.ParseSource(name)
	if err != nil || sel.Snapshot != "" {
		return nil, nil // the statement's own error, later
	}

	sel.Chain = slices.Concat(sel.Chain, chain)
	info, err := ev.store.StatSelected(ev.ctx, sel)
	if errors.Is(err, view.ErrNeedsCopy) {
		info, err = ev.store.StatSelected(ev.ctx, store.Selector{Name: sel.Name})
	}

	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrWrongKind) {
		return nil, nil
	}
	if err != nil || info.Storage.ID != id {
		return nil, err
	}
	return info, nil
}

// readsOf returns the parts of the storage that an expression reads, or more. It follows lazy names
// down to depth.
func (ev *evaluation) readsOf(id catalog.ID, e compute.Expr, depth int) (parts []*store.Info, err error) {
	for _, r := range e.Reads() {
		expr, lazy, err := ev.expand(r.Name)
		if err != nil {
			return nil, err
		}

		if lazy && depth > 0 {
			more, err := ev.readsOf(id, expr, depth-1)
			if err != nil {
				return nil, err
			}
			parts = append(parts, more...)
			continue
		}

		part, err := ev.partIn(id, r.Name, r.Chain)
		if err != nil {
			return nil, err
		}
		parts = addPart(parts, part)
	}
	return parts, nil
}

// addPart adds a part, if there is one and it is not among those there are.
func addPart(parts []*store.Info, part *store.Info) []*store.Info {
	if part == nil || slices.ContainsFunc(parts, func(p *store.Info) bool {
		return p.Record.Name == part.Record.Name && p.DType == part.DType && p.Layout.Equal(part.Layout)
	}) {
		return parts
	}
	return append(parts, part)
}
