package check

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
	"github.com/tstore/tstore/internal/store"
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

// Span is a half-open range of bytes of a payload.
type Span struct{ Lo, Hi int64 }

// Target is a part of a storage that is verified. Its parts are ranges of the payload.
type Target struct {
	Storage catalog.Storage
	parts   []Span
	// Snapshot names the snapshot that has the storage; empty for the store as it is.
	Snapshot string
}

// bytes returns the number of bytes to read.
func (t *Target) bytes() (n int64) {
	if t.Storage.Seal == nil {
		return 0
	}
	for _, p := range t.parts {
		n += p.Hi - p.Lo
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
		each = func(_ context.Context, fn func(*Target) error) error {
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
		if err := each(ctx, func(t *Target) error { v.total += t.bytes(); return nil }); err != nil {
			return err
		}
	}

	return each(ctx, func(t *Target) error { return v.verify(ctx, t) })
}

// eachStorage calls fn for all storages of the store, and for files that only snapshots need.
func (v *verification) eachStorage(ctx context.Context, fn func(*Target) error) error {
	var after catalog.ID
	for {
		page, err := v.store.Engine.StoragePage(ctx, after)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		for _, st := range page {
			if err := fn(&Target{Storage: st, parts: []Span{{0, st.PayloadBytes}}}); err != nil {
				return err
			}
		}
		after = page[len(page)-1].ID
	}

	held := &engine.HeldWalk{Store: v.store.Engine}
	return held.Each(ctx, func(st engine.HeldStorage) error {
		return fn(&Target{Storage: st.Storage, parts: []Span{{0, st.PayloadBytes}}, Snapshot: st.Snapshot.Name})
	})
}

// selected returns the storages under the selectors, each with the blocks to verify.
func (v *verification) selected(ctx context.Context) ([]*Target, error) {
	type key struct {
		snapshot string
		id       catalog.ID
	}
	byStorage := map[key]*Target{}
	var all []*Target

	add := func(info *store.Info) {
		k := key{info.Selector.Snapshot, info.Storage.ID}
		t := byStorage[k]
		if t == nil {
			t = &Target{Storage: info.Storage, Snapshot: info.Selector.Snapshot}
			byStorage[k] = t
			all = append(all, t)
		}
		lo, hi := info.Bytes()
		t.parts = append(t.parts, Span{lo, hi})
	}

	for _, sel := range v.opts.Selectors {
		if err := v.store.eachSelected(ctx, sel, add); err != nil {
			return nil, err
		}
	}

	// Parts that overlap are verified once.
	for _, t := range all {
		t.parts = blockSpans(t.parts, t.Storage.PayloadBytes)
	}
	return all, nil
}

// eachSelected calls fn for a tensor or a part of one, or for all tensors of a group.
func (s *Store) eachSelected(ctx context.Context, sel string, fn func(*store.Info)) error {
	info, err := s.Stat(ctx, sel)
	if err == nil {
		fn(info)
		return nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}

	group, snapshot, _ := strings.Cut(sel, "@")
	items := 0
	for item, failed := range s.List(ctx, &store.ListOptions{Group: group, Recursive: true, Snapshot: snapshot}) {
		if failed != nil {
			return failed
		}
		items++

		if item.Record.Kind != catalog.KindTensor {
			continue
		}
		info, failed := s.StatSelected(ctx, store.Selector{Name: item.Name, Snapshot: snapshot})
		switch {
		case failed == nil:
			fn(info)
		case !errors.Is(failed, store.ErrNotFound):
			return failed
		}
	}

	if items == 0 {
		return err
	}
	return nil
}

// blockSpans widens spans of a payload to whole blocks, and puts those together that touch.
func blockSpans(spans []Span, payload int64) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Lo, b.Lo) })
	var out []Span
	for _, p := range spans {
		if p.Lo >= min(p.Hi, payload) {
			continue
		}
		p.Lo -= p.Lo % blocksum.BlockBytes
		p.Hi = min(int64(blocksum.Count(p.Hi))*blocksum.BlockBytes, payload)
		if n := len(out); n > 0 && p.Lo <= out[n-1].Hi {
			out[n-1].Hi = max(out[n-1].Hi, p.Hi)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// verify verifies parts of a storage. If someone else changes the storage meanwhile, it looks
// again.
func (v *verification) verify(ctx context.Context, t *Target) error {
	for try := 1; ; try++ {
		if t.Storage.Seal == nil {
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
		if errors.Is(err, store.ErrNotFound) {
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

// onlyMissing reports whether all damage is that files are gone. If the catalog names other files
// by now, those were replaced.
func onlyMissing(found []Damage) bool {
	return !slices.ContainsFunc(found, func(d Damage) bool { return !errors.Is(d.Err, store.ErrMissing) })
}

// refresh brings a target up to date, and reports whether it has changed. It returns ErrNotFound if
// the storage is gone.
func (v *verification) refresh(ctx context.Context, t *Target) (changed bool, err error) {
	var now catalog.Storage
	err = v.store.ViewAt(ctx, t.Snapshot, func(c *catalog.Tx) error {
		now, err = c.Storage(t.Storage.ID)
		return err
	})
	if err != nil {
		return false, err
	}
	changed = !engine.SameFile(now, t.Storage) || !reflect.DeepEqual(now.Seal, t.Storage.Seal)
	t.Storage, t.parts = now, blockSpans(t.parts, now.PayloadBytes)
	return changed, nil
}

// ViewAt runs fn on the catalog of a snapshot, or of the store when it is "".
func (s *Store) ViewAt(ctx context.Context, snapshot string, fn func(*catalog.Tx) error) error {
	if snapshot == "" {
		return s.Engine.Catalog.View(ctx, fn)
	}
	return s.Engine.ViewSnapshot(ctx, snapshot, fn)
}

// cannot adds a storage without checksums to the report.
func (v *verification) cannot(ctx context.Context, t *Target) error {
	st := t.Storage
	var names []string
	err := v.store.ViewAt(ctx, t.Snapshot, func(c *catalog.Tx) (err error) {
		names, err = c.Sharers(st.ID, engine.ProblemNames)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	for i, name := range names {
		names[i] = store.Selector{Name: name, Snapshot: t.Snapshot}.String()
	}
	v.report.Unsealed = append(v.report.Unsealed, UnsealedStorage{Names: names, File: st.File(), Bytes: st.PayloadBytes})
	return err
}

// look reads parts of a storage and returns what is damaged, without the tensors concerned.
func (v *verification) look(ctx context.Context, t *Target) ([]Damage, error) {
	st := t.Storage
	whole := func(file string, err error) []Damage { return []Damage{{File: file, Bytes: -1, Err: err}} }

	if st.Adopted {
		if err := engine.CheckAdopted(v.store.Engine.FS, st); err != nil {
			return whole(st.File(), err), nil
		}
	}

	// Without its checksums, or its file, all of the storage counts as damaged.
	sums, err := v.store.Engine.LoadSums(st)
	if err != nil {
		return whole(cmp.Or(st.SumsFile(), st.File()), err), nil
	}

	f, err := v.store.Engine.FS.OpenFile(v.store.Engine.DataPath(st), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		err = store.ErrMissing
	}
	if err != nil {
		return whole(st.File(), err), nil
	}
	defer f.Close()

	// Read past the page cache, which may still hold what was meant to be on the disk.
	bad := BadBlocks{Found: map[int64]error{}}
	for _, p := range t.parts {
		sc := blockscan.Scan{
			File: f, Base: st.HeaderBytes, Lo: p.Lo, Hi: p.Hi, Cold: true, Rate: v.rate,
			Each: func(b []byte, off int64) {
				for _, n := range blocksum.Bad(st.ID, sums, off/blocksum.BlockBytes, b) {
					bad.Add(n, store.ErrChecksum)
				}
			},
			Bad: func(off, _ int64, err error) { bad.Add(off/blocksum.BlockBytes, err) },
		}

		if v.opts.Progress != nil {
			sc.Progress = func(n int64) { v.done += n; v.opts.Progress(min(v.done, v.total), v.total) }
		}

		if err := sc.Run(ctx); err != nil {
			return nil, err
		}
	}
	return bad.Runs(st), nil
}
