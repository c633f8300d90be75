package model

import (
	"slices"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// keep makes a snapshot.
func (s *state) keep(st step) error {
	if s.snaps[st.Name] != nil {
		return tstore.ErrExists
	}
	kept := s.clone()
	kept.snaps = map[string]*state{}
	s.snaps[st.Name] = kept
	return nil
}

func (s *state) forget(st step) error {
	if s.snaps[st.Name] == nil {
		return tstore.ErrNotFound
	}
	delete(s.snaps, st.Name)
	return nil
}

// restore brings back all of a snapshot.
func (s *state) restore(st step) error {
	snap := s.snaps[st.Name]
	if snap == nil {
		return tstore.ErrNotFound
	}
	then := snap.clone()
	for id, b := range then.bufs {
		b.restored = true
		if now := s.bufs[id]; now != nil && now.content == b.content {
			b.sealed, b.cut = now.sealed, now.cut
		}
	}
	s.names, s.bufs = then.names, then.bufs
	return nil
}

// bring brings back some names of a snapshot. Names that are not among them keep their elements;
// whether they go on sharing them is for the store to say.
func (s *state) bring(st step) error {
	snap := s.snaps[st.Name]
	if snap == nil {
		return tstore.ErrNotFound
	}
	wanted := map[string]*object{}
	for _, name := range st.Names {
		if o := snap.names[name]; o != nil {
			wanted[name] = o
			continue
		}
		inside := snap.group(name)
		if len(inside) == 0 {
			return tstore.ErrNotFound
		}
		for _, n := range inside {
			wanted[n] = snap.names[n]
		}
	}
	kept := map[int]int{} // buffers of the snapshot, and what they are now
	for _, name := range snap.sorted() {
		o := wanted[name]
		if o == nil {
			continue
		}
		if s.names[name] == nil {
			if err := s.free(name); err != nil {
				return err
			}
		}
		if o.kind != catalog.KindTensor {
			s.put(name, o)
			continue
		}
		if err := s.bringTensor(snap, name, wanted, kept); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) bringTensor(snap *state, name string, wanted map[string]*object, kept map[int]int) error {
	was := *snap.names[name]
	then := snap.bufs[was.buf]
	if _, ok := kept[then.id]; !ok {
		kept[then.id] = s.bringBuffer(then, wanted)
	}
	was.buf = kept[then.id]
	s.put(name, &was)
	return nil
}

// bringBuffer returns the buffer that has the elements of one of the snapshot: the one that is
// there, if it has them still, or else another.
func (s *state) bringBuffer(then *buffer, wanted map[string]*object) int {
	now := s.bufs[then.id]
	if now != nil && now.content == then.content && samePrefix(now.vals, then.vals) {
		now.restored = true
		if len(now.vals) < len(then.vals) {
			now.vals, now.shape = then.vals, then.shape
		}
		return now.id
	}
	b := *then
	b.restored = true
	for _, name := range s.sharers(then.id) {
		if wanted[name] == nil {
			b.id = s.number()
			b.content = s.number()
		}
	}
	s.bufs[b.id] = &b
	return b.id
}

// samePrefix reports whether two runs of elements begin alike, as far as both go.
func samePrefix(a, b []int64) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}
