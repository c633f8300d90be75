package term

// nearestName returns the one of names that name is probably a typo of. Of several equally near
// names it returns the first, and "" if none is near.
func nearestName(name string, names []string) string {
	best, limit := "", min(len(name)/3+1, len(name)/2) // half of the name has to be there
	if len(name) > 32 {
		return ""
	}
	for _, candidate := range names {
		if !maySlip(name, candidate) {
			continue
		}
		if d := editDistance(name, candidate); d <= limit && candidate != name {
			best, limit = candidate, d-1
		}
	}
	return best
}

// maySlip reports whether two words are alike enough for one to be a typo of the other. Words of
// one or two letters are like any other. A longer word has three quarters of the letters of the
// other at least, and a short one its first letter.
func maySlip(name, candidate string) bool {
	shorter, longer := min(len(name), len(candidate)), max(len(name), len(candidate))
	return shorter > 2 && 4*shorter >= 3*longer && (shorter > 4 || name[0] == candidate[0])
}

// editDistance returns the number of edits that turn a into b: insert, drop or change a byte, or
// swap two neighbours. It is the optimal string alignment distance.
func editDistance(a, b string) int {
	// row i of the table has the distances between a[:i] and each prefix of b. Three rows are kept,
	// as a swap looks two rows back.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}

	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}

	return row[len(b)]
}
