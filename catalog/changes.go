package catalog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// MaxSpans bounds Storage.Spans.
const MaxSpans = 64

// Span counts changes that touched no more than the bytes from First to before End of a storage's
// payload.
type Span struct {
	First, End int64
	Changes    uint64
}

// Change counts a change of the bytes from first to before end of the payload. Where several
// tensors share the storage, it is noted which bytes these are, so that ChangesWithin leaves the
// tensors elsewhere alone.
func (s *Storage) Change(first, end int64) {
	s.Changes++
	if s.Refs < 2 || first < 0 || end <= first || first == 0 && end >= s.PayloadBytes {
		return
	}
	s.Spans = slices.Clone(s.Spans) // may be an Entry's, which is shared
	if i := slices.IndexFunc(s.Spans, func(p Span) bool { return p.First == first && p.End == end }); i >= 0 {
		s.Spans[i].Changes++
		return
	}
	s.Spans = append(s.Spans, Span{First: first, End: end, Changes: 1})
	if len(s.Spans) > MaxSpans {
		s.mergeSpans()
	}
}

// mergeSpans makes one of the two spans that lie nearest to each other. It then counts for what
// lies between them, too: a tensor there seems changed, once.
func (s *Storage) mergeSpans() {
	slices.SortFunc(s.Spans, func(a, b Span) int { return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.End, b.End)) })
	gap := func(i int) int64 { return s.Spans[i+1].First - s.Spans[i].End }
	best := 0
	for i := range len(s.Spans) - 1 {
		if gap(i) < gap(best) {
			best = i
		}
	}
	a, b := s.Spans[best], s.Spans[best+1]
	s.Spans[best] = Span{First: a.First, End: max(a.End, b.End), Changes: a.Changes + b.Changes}
	s.Spans = slices.Delete(s.Spans, best+1, best+2)
}

// ChangesWithin returns the number of changes that may have touched the bytes from first to before
// end of the payload. Of the same bytes it grows with each change that did, never shrinks, and
// seldom grows with one that did not.
func (s *Storage) ChangesWithin(first, end int64) uint64 {
	n := s.Changes
	for _, p := range s.Spans {
		if p.End <= first || end <= p.First {
			n -= p.Changes
		}
	}
	return n
}

// spanFault says why spans can't be stored, "" if they can.
func (s *Storage) spanFault() string {
	if len(s.Spans) > MaxSpans {
		return fmt.Sprintf("changes are counted in %d places, at most %d are allowed", len(s.Spans), MaxSpans)
	}
	left := s.Changes
	for _, p := range s.Spans {
		if p.First < 0 || p.End <= p.First || p.Changes == 0 || p.Changes > left {
			return fmt.Sprintf("%d changes of bytes %d to %d, of %d in all", p.Changes, p.First, p.End, s.Changes)
		}
		left -= p.Changes
	}
	return ""
}

func (p *Span) fields(c *wire.Coder) {
	c.Count(1, &p.First)
	c.Count(2, &p.End)
	c.Uint(3, &p.Changes)
}
