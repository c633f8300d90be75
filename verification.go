package tstore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blockscan"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
)

// verification is a Verify at work.
type verification struct {
	store  *Store
	opts   VerifyOptions
	rate   *blockscan.Rate
	report VerifyReport
	// done and total are bytes for Progress.
	done, total int64
}

// span is a half-open run of bytes.
type span struct{ lo, hi int64 }

// target is a part of a storage to verify.
type target struct {
	storage catalog.Storage
	parts   []span
	// snapshot names the snapshot that has the storage; empty for the store as it is.
	snapshot string
}

// bytes returns the number of bytes to read.
func (t *target) bytes() (n int64) {
	if t.storage.Seal == nil {
		return 0
	}
	for _, p := range t.parts {
		n += p.hi - p.lo
	}
	return n
}

func (v *verification) run(ctx context.Context) error {
	each := v.eachStorage
	if len(v.opts.Selectors) > 0 {
		targets, err := v.selected(ctx)
		if err != nil {
			return err
		}
		each = func(_ context.Context, fn func(*target) error) error {
			for _, t := range targets {
				if err := fn(t); err != nil {
					return err
				}
			}
			return nil
		}
	}

	// The total is counted in a walk of its own, before a byte is read.
	if v.opts.Progress != nil {
		if err := each(ctx, func(t *target) error { v.total += t.bytes(); return nil }); err != nil {
			return err
		}
	}

	return each(ctx, func(t *target) error { return v.verify(ctx, t) })
}

// eachStorage calls fn for all storages of the store, and for files that only snapshots need.
func (v *verification) eachStorage(ctx context.Context, fn func(*target) error) error {
	var after catalog.ID
	for {
		page, err := v.store.eng.StoragePage(ctx, after)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		for _, st := range page {
			if err := fn(&target{storage: st, parts: []span{{0, st.PayloadBytes}}}); err != nil {
				return err
			}
		}
		after = page[len(page)-1].ID
	}

	held := &engine.HeldWalk{Store: v.store.eng}
	return held.Each(ctx, func(st engine.HeldStorage) error {
		return fn(&target{storage: st.Storage, parts: []span{{0, st.PayloadBytes}}, snapshot: st.Snapshot.Name})
	})
}

// selected returns the storages under the selectors, each with the blocks to verify.
func (v *verification) selected(ctx context.Context) ([]*target, error) {
	type key struct {
		snapshot string
		id       catalog.ID
	}
	byStorage := map[key]*target{}
	var all []*target

	add := func(info *Info) {
		k := key{info.Selector.Snapshot, info.Storage.ID}
		t := byStorage[k]
		if t == nil {
			t = &target{storage: info.Storage, snapshot: info.Selector.Snapshot}
			byStorage[k] = t
			all = append(all, t)
		}
		lo, hi := info.bytes()
		t.parts = append(t.parts, span{lo, hi})
	}

	for _, sel := range v.opts.Selectors {
		if err := v.store.eachSelected(ctx, sel, add); err != nil {
			return nil, err
		}
	}

	// Parts that overlap are verified once.
	for _, t := range all {
		t.parts = blockSpans(t.parts, t.storage.PayloadBytes)
	}
	return all, nil
}

// eachSelected calls fn for a tensor or a part of one, or for all tensors of a group.
func (s *Store) eachSelected(ctx context.Context, sel string, fn func(*Info)) error {
	info, err := s.Stat(ctx, sel)
	if err == nil {
		fn(info)
		return nil
	}
	if !errors.Is(err, ErrNotFound) {
		return err
	}

	group, snapshot, _ := strings.Cut(sel, "@")
	items := 0
	for item, failed := range s.List(ctx, &ListOptions{Group: group, Recursive: true, Snapshot: snapshot}) {
		if failed != nil {
			return failed
		}
		items++

		if item.Record.Kind != catalog.KindTensor {
			continue
		}
		info, failed := s.stat(ctx, Selector{Name: item.Name, Snapshot: snapshot})
		switch {
		case failed == nil:
			fn(info)
		case !errors.Is(failed, ErrNotFound):
			return failed
		}
	}

	if items == 0 {
		return err
	}
	return nil
}

// blockSpans widens spans of a payload to whole blocks, and puts those together that touch.
func blockSpans(spans []span, payload int64) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	var out []span
	for _, p := range spans {
		if p.lo >= min(p.hi, payload) {
			continue
		}
		p.lo -= p.lo % blocksum.BlockBytes
		p.hi = min(int64(blocksum.Count(p.hi))*blocksum.BlockBytes, payload)
		if n := len(out); n > 0 && p.lo <= out[n-1].hi {
			out[n-1].hi = max(out[n-1].hi, p.hi)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// verify verifies parts of a storage. If someone else changes the storage meanwhile, it looks
// again.
func (v *verification) verify(ctx context.Context, t *target) error {
	for try := 1; ; try++ {
		if t.storage.Seal == nil {
			return v.cannot(ctx, t)
		}

		found, err := v.look(ctx, t)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			break
		}

		// Damage counts only if the record is the same before and after the look.
		changed, err := v.refresh(ctx, t)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if changed && (try < engine.Attempts || onlyMissing(found)) {
			continue
		}

		err = v.store.blame(ctx, t, found)
		v.report.Damage = append(v.report.Damage, found...)
		if err != nil {
			return err
		}
		break
	}

	v.report.Storages++
	v.report.Bytes += t.bytes()
	return nil
}

// onlyMissing reports whether nothing is damaged but that files are gone: where the catalog names
// others by now, these were replaced.
func onlyMissing(found []Damage) bool {
	return !slices.ContainsFunc(found, func(d Damage) bool { return !errors.Is(d.Err, ErrMissing) })
}

// refresh brings a target up to date, and reports whether it has changed. It returns ErrNotFound if
// the storage is gone.
func (v *verification) refresh(ctx context.Context, t *target) (changed bool, err error) {
	var now catalog.Storage
	err = v.store.viewAt(ctx, t.snapshot, func(c *catalog.Tx) error {
		now, err = c.Storage(t.storage.ID)
		return err
	})
	if err != nil {
		return false, err
	}
	changed = !engine.SameFile(now, t.storage) || !reflect.DeepEqual(now.Seal, t.storage.Seal)
	t.storage, t.parts = now, blockSpans(t.parts, now.PayloadBytes)
	return changed, nil
}

// viewAt runs fn on the catalog of a snapshot, or of the store when it is "".
func (s *Store) viewAt(ctx context.Context, snapshot string, fn func(*catalog.Tx) error) error {
	if snapshot == "" {
		return s.eng.Catalog.View(ctx, fn)
	}
	return s.eng.ViewSnapshot(ctx, snapshot, fn)
}

// cannot notes a storage without checksums.
func (v *verification) cannot(ctx context.Context, t *target) error {
	st := t.storage
	var names []string
	err := v.store.viewAt(ctx, t.snapshot, func(c *catalog.Tx) (err error) {
		names, err = c.Sharers(st.ID, engine.ProblemNames)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	for i, name := range names {
		names[i] = Selector{Name: name, Snapshot: t.snapshot}.String()
	}
	v.report.Unsealed = append(v.report.Unsealed, UnsealedStorage{Names: names, File: st.File(), Bytes: st.PayloadBytes})
	return err
}

// look reads parts of a storage and returns what is damaged, without the tensors concerned.
func (v *verification) look(ctx context.Context, t *target) ([]Damage, error) {
	st := t.storage
	whole := func(file string, err error) []Damage { return []Damage{{File: file, Bytes: -1, Err: err}} }

	if st.Adopted {
		if err := engine.CheckAdopted(v.store.eng.FS, st); err != nil {
			return whole(st.File(), err), nil
		}
	}

	sums, err := v.store.eng.LoadSums(st)
	if err != nil {
		return whole(cmp.Or(st.SumsFile(), st.File()), err), nil
	}

	f, err := v.store.eng.FS.OpenFile(v.store.eng.DataPath(st), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrMissing
	}
	if err != nil {
		return whole(st.File(), err), nil
	}
	defer f.Close()

	bad := badBlocks{found: map[int64]error{}}
	for _, p := range t.parts {
		sc := blockscan.Scan{
			File: f, Base: st.HeaderBytes, Lo: p.lo, Hi: p.hi, Cold: true, Rate: v.rate,
			Each: func(b []byte, off int64) {
				for _, n := range blocksum.Bad(st.ID, sums, off/blocksum.BlockBytes, b) {
					bad.add(n, ErrChecksum)
				}
			},
			Bad: func(off, _ int64, err error) { bad.add(off/blocksum.BlockBytes, err) },
		}

		if v.opts.Progress != nil {
			sc.Progress = func(n int64) { v.done += n; v.opts.Progress(min(v.done, v.total), v.total) }
		}

		if err := sc.Run(ctx); err != nil {
			return nil, err
		}
	}
	return bad.runs(st), nil
}
