package order

import (
	"errors"
	"slices"
)

const (
	deviations  = 4       // between what a sample tells and the bounds
	fewSampled  = 512     // keys of a sample that are no NaN tell nothing
	maxBrackets = 32      // of one pass; each of them is a look at all elements while they are in the cache
	fewKeys     = 1 << 16 // are not sampled
)

// A bracket is two keys between which some positions are thought to lie.
type bracket[K Key] struct{ low, high K }

// bySample is Select in one pass behind a look at a sample, or, for many positions, in several of
// them: the sample tells two bounds of each position, or of several positions that are near each
// other. Elements on either side of them are counted, and those between them kept. ok is false if a
// position turned out to lie elsewhere, which luck makes rare, or if more elements would be kept
// than the lane may.
func bySample[K Key](l Lane, at func(numNaN int) []int, run Runner) (keys []uint64, ok bool, err error) {
	s := newSampling[K](l)
	if err := run(s, false); err != nil {
		return nil, false, err
	}

	groups, empty := s.groups(at)
	switch {
	case empty:
		return nil, true, nil
	case len(groups) != 1 && l.N <= l.maxKept() && len(at(0)) > maxBrackets:
		keys, err := byChoosing[K](l, at, run)
		return keys, err == nil, err
	case len(groups) == 0:
		return nil, false, nil
	}

	var r *resolving
	for i, brackets := range groups {
		g := newSifting(l, brackets)
		if err := run(g, true); err != nil {
			if errors.Is(err, errTooMany) {
				err = nil
			}
			return nil, false, err
		}

		sections, nan := g.sections()
		if i == 0 {
			positions := at(nan)
			r = &resolving{positions, make([]uint64, len(positions)), make([]bool, len(positions))}
		}
		if err := resolve(r, sections, run); err != nil {
			return nil, false, err
		}
	}

	return r.keys, !slices.Contains(r.known, false), nil
}

// A resolving holds the keys at some positions. Some of them are known.
type resolving struct {
	positions []int
	keys      []uint64
	known     []bool
}

// resolve finds keys in the sections that they are in.
func resolve[K Key](r *resolving, sections []section[K], run Runner) error {
	for i := 0; i < len(r.positions); {
		part, ok := sectionOf(sections, r.positions[i])
		if !ok || r.known[i] {
			i++
			continue
		}

		end := i
		for end < len(r.positions) && r.positions[end] < part.first+part.n {
			r.known[end] = true
			end++
		}

		if err := part.choose(r.keys[i:end], r.positions[i:end], run); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// groups returns the brackets of positions, those of one pass together, or none if the sample does
// not tell them. empty says that there are no positions, as more NaNs make none.
func (s *sampling[K]) groups(at func(numNaN int) []int) (groups [][]bracket[K], empty bool) {
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

	// Positions come from a sample, so that each has a span of keys it may lie between.
	spans := s.together(s.spans(sorted, n, positions, scale), n)
	if few := 1 + 2*len(positions)/maxBrackets; len(spans) > few {
		return nil, false // counting digits takes fewer passes
	}
	return s.between(sorted, n, spans), false
}

// A span is positions of a sorted sample, which may lie beyond it.
type span struct{ lo, hi int }

// in returns how many of the first n positions are in a span.
func (p span) in(n int) int { return min(p.hi, n-1) - max(p.lo, 0) }

// spans returns where in the sample each of some positions among scale elements is thought to be;
// there are n keys that are no NaN.
func (s *sampling[K]) spans(sorted []K, n int, positions []int, scale float64) (spans []span) {
	centers := make([]int, len(positions))
	for i, p := range positions {
		centers[i] = min(n-1, int(float64(p)/scale*float64(n)))
	}
	centers = slices.Compact(centers)
	Choose(sorted, centers)
	for _, center := range centers {
		wide := int(deviations*s.spreadAt(sorted[center], float64(center+1)/float64(n))) + 2*clusterElems
		spans = append(spans, span{center - wide, center + wide})
	}
	return spans
}

// together makes one of spans that overlap, and groups of as many as one pass may have brackets and
// keep elements. There are none if one span alone has too many elements.
func (s *sampling[K]) together(spans []span, n int) (groups [][]span) {
	var group []span
	inside := 0

	for _, p := range spans {
		joined, more := p, p.in(n)
		last := len(group) - 1
		overlaps := last >= 0 && group[last].hi >= p.lo
		if overlaps {
			joined = span{min(group[last].lo, p.lo), max(group[last].hi, p.hi)}
			more = joined.in(n) - group[last].in(n)
		}

		switch {
		case overlaps && s.mayKeep(inside+more):
			group[last] = joined
		case last+1 < maxBrackets && s.mayKeep(inside+more):
			group = append(group, p)
		case !s.mayKeep(p.in(n)):
			return nil
		default:
			groups, group, inside, more = append(groups, group), []span{p}, 0, p.in(n)
		}
		inside += more
	}

	if group != nil {
		groups = append(groups, group)
	}
	return groups
}

// mayKeep reports whether the elements that some sampled ones stand for may be kept.
func (s *sampling[K]) mayKeep(sampled int) bool {
	share := float64(sampled) / float64(len(s.keys))
	return share <= 0.5 && share*float64(s.lane.N) <= float64(s.lane.maxKept())
}

// between returns the brackets of groups of spans.
func (s *sampling[K]) between(sorted []K, n int, groups [][]span) (brackets [][]bracket[K]) {
	var ends []int
	for _, p := range slices.Concat(groups...) {
		ends = append(ends, max(p.lo, 0), min(p.hi, n-1))
	}
	slices.Sort(ends)
	Choose(sorted, slices.Compact(ends))

	for _, group := range groups {
		var all []bracket[K]
		for _, p := range group {
			b := bracket[K]{0, K(s.lane.Coding.last())}
			if p.lo >= 0 {
				b.low = sorted[p.lo]
			}
			if p.hi < n {
				b.high = sorted[p.hi]
			}
			all = append(all, b)
		}
		brackets = append(brackets, all)
	}
	return brackets
}

// A section is n elements that are next to each other when they are sorted: all of one key, or
// those that were kept.
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

	// Many keys: look at a sample of them first, as for the whole lane.
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
