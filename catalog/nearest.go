package catalog

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
)

// nearestScan bounds how many names Nearest looks at, so that a typo in a catalog of a million
// names stays cheap.
const nearestScan = 1000

// Nearest returns up to n names that name may be a typo of, nearest first. It compares by edit
// distance, looks first at the group that name lies in and then at the whole catalog, and reads at
// most 1,000 names of each.
func (tx *Tx) Nearest(name string, n int) ([]string, error) {
	if err := tx.usable(); err != nil {
		return nil, err
	}
	seen := map[string]int{}
	group := ""
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		group = name[:i]
		if err := tx.scanNear(group, name, seen); err != nil {
			return nil, err
		}
	}
	if err := tx.scanNear("", name, seen); err != nil {
		return nil, err
	}
	return nearestOf(seen, n), nil
}

// scanNear adds the names inside group that are near enough to name, with their distance.
func (tx *Tx) scanNear(group, name string, seen map[string]int) error {
	limit := max(1, len(path.Base(name))/3)
	prefix := groupKey(group)
	cur := tx.names.cursor()
	key, _, err := cur.seek(prefix)
	for i := 0; i < nearestScan && key != nil && err == nil && bytes.HasPrefix(key, prefix); i++ {
		if other, bad := keyName(key); bad == nil {
			if d := distance(name, other, limit); d <= limit {
				seen[other] = d
			}
		}
		key, _, err = cur.nextAfter(key)
	}
	return err
}

// nearestOf returns the n names of the smallest distance, names of equal distance in order.
func nearestOf(seen map[string]int, n int) []string {
	names := make([]string, 0, len(seen))
	for s := range seen {
		names = append(names, s)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(seen[a], seen[b]), cmp.Compare(a, b))
	})
	return names[:min(max(n, 0), len(names))]
}

// distance is the edit distance of a and b in bytes, with a swap of neighbours as one edit
// (Damerau's restricted distance), or limit+1 when it is greater than limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}

	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}

	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i

		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}

		// No later row has a smaller entry than the least of this one.
		if best > limit {
			return limit + 1
		}

		before, above, row = above, row, before
	}

	return min(above[len(b)], limit+1)
}
