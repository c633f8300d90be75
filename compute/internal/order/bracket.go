package order

import (
	"errors"
	"slices"
)

const (
	deviations  = 4       // between what a sample tells and the bounds
	fewSampled  = 512     // keys of a sample that are no NaN tell nothing
	maxBrackets = 32      // each of them is a look at all elements while they are in the cache
	fewKeys     = 1 << 16 // are not sampled
)

// A bracket is two keys between which some positions are thought to lie.
type bracket[K Key] struct{ low, high K }

// bySample is Select in one pass behind a look at a sample: it tells two bounds of each position, or of several positions that are
// near each other. Elements on either side of them are counted, and those between them kept. ok is false if a position
// turned out to lie elsewhere, which luck makes rare, or if more elements would be kept than the lane may.
func bySample[K Key](l Lane, at func(numNaN int) []int, run Runner) (keys []uint64, ok bool, err error) {
	s := newSampling[K](l)
	if err := run(s, false); err != nil {
		return nil, false, err
	}
	brackets, empty := s.brackets(at)
	if empty || len(brackets) == 0 {
		return nil, empty, nil
	}
	g := newSifting(l, brackets)
	if err := run(g, true); err != nil {
		if errors.Is(err, errTooMany) {
			err = nil
		}
		return nil, false, err
	}
	sections, nan := g.sections()
	positions := at(nan)
	keys = make([]uint64, len(positions))
	for i := 0; i < len(positions); {
		part, ok := sectionOf(sections, positions[i])
		if !ok {
			return nil, false, nil
		}
		end := i
		for end < len(positions) && positions[end] < part.first+part.n {
			end++
		}
		if err := part.choose(keys[i:end], positions[i:end], run); err != nil {
			return nil, false, err
		}
		i = end
	}
	return keys, true, nil
}

// brackets returns the brackets of positions, or none if the sample does not tell them. empty says that there are no positions,
// as more NaNs make none.
func (s *sampling[K]) brackets(at func(numNaN int) []int) (brackets []bracket[K], empty bool) {
	sorted, c := slices.Clone(s.keys), s.lane.Coding
	nan := 0
	for _, k := range sorted {
		if c.IsNaN(uint64(k)) {
			nan++
		}
	}
	if nan > 0 && len(at(nan)) == 0 {
		return nil, true
	}
	n := len(sorted) - nan
	if n < fewSampled {
		return nil, false
	}
	scale := float64(n) / float64(len(sorted)) * float64(s.lane.N) // elements that are no NaN
	positions := at(s.lane.N - int(scale))
	spans := s.spans(sorted, n, positions, scale)
	if len(spans) > maxBrackets {
		return nil, false
	}
	return s.between(sorted, n, spans), false
}

// A span is positions of a sorted sample, which may lie beyond it.
type span struct{ lo, hi int }

// spans returns where in the sample positions among scale elements are thought to be; there are n keys that are no NaN.
func (s *sampling[K]) spans(sorted []K, n int, positions []int, scale float64) (spans []span) {
	centers := make([]int, len(positions))
	for i, p := range positions {
		centers[i] = min(n-1, int(float64(p)/scale*float64(n)))
	}
	wanted := slices.Compact(slices.Clone(centers))
	if len(wanted) > 2*maxBrackets {
		return make([]span, maxBrackets+1)
	}
	Choose(sorted, wanted)
	for i, center := range centers {
		if i > 0 && center == centers[i-1] {
			continue
		}
		wide := int(deviations*s.spreadAt(sorted[center], float64(center+1)/float64(n))) + 2*clusterElems
		if last := len(spans) - 1; last >= 0 && spans[last].hi >= center-wide {
			spans[last].hi = max(spans[last].hi, center+wide)
		} else {
			spans = append(spans, span{center - wide, center + wide})
		}
	}
	return spans
}

// between returns the brackets of spans, or none if more elements would lie there than may be kept.
func (s *sampling[K]) between(sorted []K, n int, spans []span) (brackets []bracket[K]) {
	var ends []int
	inside := 0
	for _, p := range spans {
		lo, hi := max(p.lo, 0), min(p.hi, n-1)
		ends = append(ends, lo, hi)
		inside += hi - lo
	}
	Choose(sorted, slices.Compact(slices.Sorted(slices.Values(ends))))
	share := float64(inside) / float64(len(sorted))
	if share > 0.5 || share*float64(s.lane.N) > float64(s.lane.maxKept()) {
		return nil
	}
	for _, p := range spans {
		b := bracket[K]{0, K(s.lane.Coding.last())}
		if p.lo >= 0 {
			b.low = sorted[p.lo]
		}
		if p.hi < n {
			b.high = sorted[p.hi]
		}
		brackets = append(brackets, b)
	}
	return brackets
}

// A section is n elements that are next to each other when they are sorted: all of one key, or those that were kept.
type section[K Key] struct {
	first, n int
	key      K
	kept     [][]K // nil if all are of one key
}

// sectionOf returns the section that a position is in.
func sectionOf[K Key](sections []section[K], position int) (section[K], bool) {
	i := slices.IndexFunc(sections, func(p section[K]) bool { return position >= p.first && position < p.first+p.n })
	if i < 0 {
		return section[K]{}, false
	}
	return sections[i], true
}

// choose sets to to the keys at positions.
func (s section[K]) choose(to []uint64, positions []int, run Runner) error {
	if s.kept == nil {
		for i := range to {
			to[i] = uint64(s.key)
		}
		return nil
	}
	within := make([]int, len(positions))
	for i, at := range positions {
		within[i] = at - s.first
	}
	keys := slices.Concat(s.kept...)
	if len(keys) > fewKeys {
		found, ok, err := bySample[K](laneOf(keys), func(int) []int { return within }, run)
		if ok || err != nil {
			copy(to, found)
			return err
		}
	}
	Choose(keys, within)
	for i, at := range within {
		to[i] = uint64(keys[at])
	}
	return nil
}
