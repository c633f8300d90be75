package stream

import (
	"slices"

	"github.com/tstore/tstore/mmapstore"
)

const (
	// maxPopulate is the most that is read in one piece.
	maxPopulate = 4 * windowBytes

	// maxStays is the size up to which an input that is in memory is never dropped.
	maxStays = 32 * windowBytes

	// waitBehind is the number of windows that may be on their way to the disk before the oldest is
	// waited for.
	waitBehind = 4

	// folioBytes is the largest page of files: one that is dropped in two parts stays.
	folioBytes = 2 << 20
)

// A track follows one operand.
type track struct {
	Operand
	drop    bool
	reading bool   // whether something had to be read
	live    span   // what was prepared and not dropped since
	behind  []part // what is to be dropped, in the order of windows
	writing []span // what is being written back, oldest first
	dropped span   // what was dropped last
	touched span   // all that was prepared
}

// A part is the stretch that a window added to an operand.
type part struct {
	window int
	span
}

// newTracks returns tracks of the operands that are pages of files.
func newTracks(operands []Operand, drop bool) []*track {
	var tracks []*track
	for _, o := range operands {
		if o.Storage.FileBacked() {
			tracks = append(tracks, &track{Operand: o, drop: drop && !stays(o)})
		}
	}
	return tracks
}

// stays reports whether an operand is small, and in memory: it is likely to be used again, and
// asking is quick.
func stays(o Operand) bool {
	size := o.Storage.Size()
	if o.Write || size > maxStays {
		return false
	}
	cached, _, known := o.Storage.Cached(0, size)
	return known && cached >= size
}

// prepare brings the bytes of a window into memory, except those that are there. It skips a window
// of more than maxPopulate bytes, as little of it may be used.
func (t *track) prepare(window int, s span) error {
	if s.hi-s.lo > maxPopulate {
		return nil
	}

	added := s.without(t.live)
	if s.touches(t.live) {
		t.live = t.live.around(s)
	} else {
		t.live = s
	}

	for _, p := range added {
		if p.empty() {
			continue
		}
		if err := t.populate(part{window, p}); err != nil {
			return err
		}
	}
	return nil
}

// populate brings a part into memory, and notes it so that it is dropped later.
func (t *track) populate(p part) error {
	if t.drop {
		t.behind = append(t.behind, p)
		t.touched = t.touched.around(p.span)
	}

	n := p.hi - p.lo
	cached, dirty, known := t.Storage.Cached(p.lo, n)
	hot := known && cached >= n
	switch {
	case t.Write && hot && dirty >= n, !t.Write && hot:
		return nil
	case t.Write:
		return t.Storage.Advise(p.lo, n, mmapstore.PopulateWrite)
	case !t.reading:
		t.reading = true
		_ = t.Storage.Advise(0, -1, mmapstore.Sequential) // a hint
	}

	return t.Storage.Advise(p.lo, n, mmapstore.PopulateRead)
}

// retire releases the parts that windows up to this one added, unless the next window uses them;
// next holds its spans.
func (t *track) retire(window int, next []span) error {
	for len(t.behind) > 0 && t.behind[0].window <= window && !slices.ContainsFunc(next, t.behind[0].overlaps) {
		p := t.behind[0].span
		t.behind = t.behind[1:]
		if err := t.release(p); err != nil {
			return err
		}
	}
	return nil
}

// release drops a part, or begins to write it back.
func (t *track) release(p span) error {
	if !t.Write {
		return t.forget(p)
	}
	if err := t.Storage.StartWriteback(p.lo, p.hi-p.lo); err != nil {
		return err
	}
	t.writing = append(t.writing, p)
	return t.await(waitBehind)
}

// await waits until no more than most parts are being written back, and drops those that are
// written.
func (t *track) await(most int) error {
	for len(t.writing) > most {
		p := t.writing[0]
		t.writing = t.writing[1:]
		if err := t.Storage.WaitWriteback(p.lo, p.hi-p.lo); err != nil {
			return err
		}
		if err := t.forget(p); err != nil {
			return err
		}
	}
	return nil
}

// forget drops a part, with the large page that it shares with the one dropped before.
func (t *track) forget(p span) error {
	if p.hi >= t.live.hi {
		t.live.hi = min(t.live.hi, p.lo)
	} else {
		t.live.lo = max(t.live.lo, p.hi)
	}
	wide := p
	switch {
	case p.lo == t.dropped.hi:
		wide.lo = max(p.lo-folioBytes, t.dropped.lo)
	case p.hi == t.dropped.lo:
		wide.hi = min(p.hi+folioBytes, t.dropped.hi)
	}
	t.dropped = p
	return t.Storage.Advise(wide.lo, wide.hi-wide.lo, mmapstore.DontNeed)
}

// tracked is the work of a Stream.
type tracked struct {
	tracks  []*track
	windows windows
}

func (w *tracked) prepare(window int) error {
	for _, t := range w.tracks {
		for _, s := range w.windows.at(window, t.Range) {
			if err := t.prepare(window, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *tracked) retire(window int) error {
	for _, t := range w.tracks {
		if !t.drop {
			continue
		}
		var next []span
		if window+1 < w.windows.count() {
			next = w.windows.at(window+1, t.Range)
		}
		if err := t.retire(window, next); err != nil {
			return err
		}
	}
	return nil
}

// finish waits for all that is being written back, and drops what the system has read ahead and
// nobody used.
func (w *tracked) finish() error {
	for _, t := range w.tracks {
		if err := t.await(0); err != nil {
			return err
		}
		if t.touched.empty() {
			continue
		}
		if err := t.Storage.Advise(t.touched.lo, t.touched.hi-t.touched.lo, mmapstore.DontNeed); err != nil {
			return err
		}
	}
	return nil
}
