package order

import (
	"math"
	"sort"

	"github.com/tstore/tstore/compute/internal/exec"
)

// runs sorts as many elements at a time as fit in memory, and keeps the sorted runs in scratch
// space.
func (l *Long[E]) runs() (runs [][]E, err error) {
	all, err := l.Scratch(l.Lane.N)
	if err != nil {
		return nil, err
	}

	for start := 0; start < l.Lane.N; start += l.MaxItems {
		run := all[start:min(l.Lane.N, start+l.MaxItems)]
		err := l.sort(l.lane(start, len(run)), func() func(at int, items []E) error {
			return func(at int, items []E) error {
				copy(run[at:], items)
				return nil
			}
		})
		if err != nil {
			return nil, err
		}

		runs = append(runs, run)
		if l.Spilled != nil {
			if err := l.Spilled(start, len(run)); err != nil {
				return nil, err
			}
		}
	}

	return runs, nil
}

// merge merges sorted runs. It cuts the positions of the result into chunks, and finds by binary
// search the items of each run that belong to a chunk. A worker then sorts these few items, whose
// keys hardly differ, in the cache.
func (l *Long[E]) merge(runs [][]E) error {
	chunks := (l.Lane.N + partItems - 1) / partItems
	return l.runMerge(exec.Chunks(chunks, func() func(chunk int) error {
		emit := l.NewEmit()
		items, room := make([]E, partItems), make([]E, partItems)

		return func(chunk int) error {
			first := chunk * partItems
			end := min(l.Lane.N, first+partItems)
			from, to := l.cut(runs, first), l.cut(runs, end)

			n := 0
			for i, run := range runs {
				l.soon(i*l.MaxItems+to[i], min(2*(to[i]-from[i]), len(run)-to[i]))
				n += copy(items[n:], run[from[i]:to[i]])
			}

			Sort(items[:n], room[:n], l.Low, false)
			return emit(first, items[:n])
		}
	}))
}

func (l *Long[E]) runMerge(j exec.Job) error {
	if l.Merge == nil {
		return l.Run(j, false)
	}
	return l.Merge(j, partItems)
}

// soon says what the chunks after this one will read of a run, if keys are spread as they were.
func (l *Long[E]) soon(first, n int) {
	if l.Soon != nil && n > 0 {
		l.Soon(first, n)
	}
}

// cut returns how many items of each run are among the first items of the merged result.
func (l *Long[E]) cut(runs [][]E, first int) []int {
	from, to := make([]int, len(runs)), make([]int, len(runs))

	for i, run := range runs {
		to[i] = len(run)
	}

	// Narrow down to the one key at the cut, for wide items by both words.
	cutBy(runs, from, to, first, func(e *E) uint64 { return word(e) >> l.Low })
	if isWide[E]() {
		cutBy(runs, from, to, first, lowWord[E])
	}

	// The parts may hold more items of this key than are asked for. As runs are in the order of the
	// elements, the last runs give up the surplus: that keeps the sort stable.
	surplus := -first
	for _, n := range to {
		surplus += n
	}
	for i := len(runs) - 1; i >= 0 && surplus > 0; i-- {
		drop := min(surplus, to[i]-from[i])
		to[i] -= drop
		surplus -= drop
	}

	return to
}

// cutBy narrows the parts of runs, which are ordered by a key, to the items of a single key. It is
// the lowest key for which the items up to it, with those before the parts, number at least first.
func cutBy[E Item](runs [][]E, from, to []int, first int, key func(e *E) uint64) {
	before := func(i int, k uint64) int { // items of a run with keys below k
		return from[i] + sort.Search(to[i]-from[i], func(j int) bool { return key(&runs[i][from[i]+j]) >= k })
	}

	upTo := func(i int, k uint64) int {
		if k == math.MaxUint64 {
			return to[i]
		}
		return before(i, k+1)
	}

	// Search the key by bisection over all values of 64 bits.
	lo, hi := uint64(0), uint64(math.MaxUint64)
	for lo < hi {
		middle, n := lo+(hi-lo)/2, 0
		for i := range runs {
			n += upTo(i, middle)
		}
		if n < first {
			lo = middle + 1
		} else {
			hi = middle
		}
	}

	for i := range runs {
		from[i], to[i] = before(i, lo), upTo(i, lo)
	}
}
