package tstore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
)

// verification is a Verify at work.
type verification struct {
	store  *Store
	opts   VerifyOptions
	rate   *rate
	report VerifyReport
	// done and total are bytes for Progress.
	done, total int64
}

// span is a half-open run of bytes.
type span struct{ lo, hi int64 }

func (v *verification) run(ctx context.Context) error {
	if len(v.opts.Selectors) > 0 {
		return v.runSelected(ctx)
	}
	if v.opts.Progress != nil {
		err := v.eachStorage(ctx, func(st catalog.Storage) error { v.total += sealedBytes(st); return nil })
		if err != nil {
			return err
		}
	}
	return v.eachStorage(ctx, func(st catalog.Storage) error {
		return v.verify(ctx, st, []span{{0, st.PayloadBytes}})
	})
}

func sealedBytes(st catalog.Storage) int64 {
	if st.Seal == nil {
		return 0
	}
	return st.PayloadBytes
}

func (v *verification) eachStorage(ctx context.Context, fn func(catalog.Storage) error) error {
	var after catalog.ID
	for {
		page, err := v.store.storagePage(ctx, after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, st := range page {
			if err := fn(st); err != nil {
				return err
			}
		}
		after = page[len(page)-1].ID
	}
}

// runSelected verifies the blocks under what the selectors select.
func (v *verification) runSelected(ctx context.Context) error {
	storages := map[catalog.ID]catalog.Storage{}
	parts := map[catalog.ID][]span{}
	add := func(info *Info) {
		lo, hi := info.bytes()
		id := info.Storage.ID
		storages[id] = info.Storage
		parts[id] = append(parts[id], span{lo, hi})
	}
	for _, sel := range v.opts.Selectors {
		if err := v.store.eachSelected(ctx, sel, add); err != nil {
			return err
		}
	}
	ids := slices.SortedFunc(maps.Keys(storages), func(a, b catalog.ID) int { return slices.Compare(a[:], b[:]) })
	for _, id := range ids {
		parts[id] = blockSpans(parts[id], storages[id].PayloadBytes)
		for _, p := range parts[id] {
			if storages[id].Seal != nil {
				v.total += p.hi - p.lo
			}
		}
	}
	for _, id := range ids {
		if err := v.verify(ctx, storages[id], parts[id]); err != nil {
			return err
		}
	}
	return nil
}

// eachSelected calls fn for a tensor or a part of one, or for all tensors of a
// group.
func (s *Store) eachSelected(ctx context.Context, sel string, fn func(*Info)) error {
	info, err := s.Stat(ctx, sel)
	if err == nil {
		fn(info)
		return nil
	}
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	items := 0
	for item, failed := range s.List(ctx, &ListOptions{Group: sel, Recursive: true}) {
		if failed != nil {
			return err
		}
		items++
		if item.Record.Kind != catalog.KindTensor {
			continue
		}
		info, failed := s.stat(ctx, Selector{Name: item.Name})
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

// blockSpans widens spans of a payload to whole blocks, and puts those together
// that touch.
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

// verify verifies parts of a storage. What it finds while the storage is
// changed by someone else is looked at again.
func (v *verification) verify(ctx context.Context, st catalog.Storage, parts []span) error {
	for try := 1; ; try++ {
		if st.Seal == nil {
			return v.cannot(ctx, st)
		}
		found, err := v.look(ctx, st, parts)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			break
		}
		now, err := v.store.storageNow(ctx, st.ID)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if reflect.DeepEqual(now.Seal, st.Seal) && now.Gen == st.Gen || try == attempts {
			err = v.store.blame(ctx, st, found)
			v.report.Damage = append(v.report.Damage, found...)
			if err != nil {
				return err
			}
			break
		}
		st, parts = now, blockSpans(parts, now.PayloadBytes)
	}
	v.report.Storages++
	for _, p := range parts {
		v.report.Bytes += p.hi - p.lo
	}
	return nil
}

// cannot notes a storage without checksums.
func (v *verification) cannot(ctx context.Context, st catalog.Storage) error {
	names, err := v.store.sharersOf(ctx, st.ID)
	v.report.Unsealed = append(v.report.Unsealed, UnsealedStorage{Names: names, File: st.File(), Bytes: st.PayloadBytes})
	return err
}

// look reads parts of a storage and returns what is damaged, without the
// tensors that it concerns.
func (v *verification) look(ctx context.Context, st catalog.Storage, parts []span) ([]Damage, error) {
	whole := func(file string, err error) []Damage { return []Damage{{File: file, Bytes: -1, Err: err}} }
	if st.Adopted {
		if err := checkAdopted(v.store.fs, st); err != nil {
			return whole(st.File(), err), nil
		}
	}
	sums, err := v.store.loadSums(st)
	if err != nil {
		return whole(cmp.Or(st.SumsFile(), st.File()), err), nil
	}
	f, err := v.store.fs.OpenFile(v.store.dataPath(st), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrMissing
	}
	if err != nil {
		return whole(st.File(), err), nil
	}
	defer f.Close()
	bad := badBlocks{found: map[int64]error{}}
	for _, p := range parts {
		sc := scan{
			file: f, base: st.HeaderBytes, lo: p.lo, hi: p.hi, cold: true, rate: v.rate,
			each: func(b []byte, off int64) {
				for _, n := range blocksum.Bad(st.ID, sums, off/blocksum.BlockBytes, b) {
					bad.add(n, ErrChecksum)
				}
			},
			bad: func(off, _ int64, err error) { bad.add(off/blocksum.BlockBytes, err) },
		}
		if v.opts.Progress != nil {
			sc.progress = func(n int64) { v.done += n; v.opts.Progress(min(v.done, v.total), v.total) }
		}
		if err := sc.run(ctx); err != nil {
			return nil, err
		}
	}
	return bad.runs(st), nil
}
