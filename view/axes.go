package view

// Axes tells where the axes of l.Index(ix) come from, for any l of the given rank: for each of them the axis of l that
// it is a part of, or -1 for a new one. It fails only where Index fails for every such l.
func (ix Index) Axes(rank int) ([]int, error) {
	resultRank, fill, err := ix.fit(rank)
	if err != nil {
		return nil, err
	}
	axes := make([]int, 0, resultRank)
	next := 0
	for i := range ix {
		switch ix[i].kind {
		case newAxisItem:
			axes = append(axes, -1)
		case ellipsisItem:
			for range fill {
				axes = append(axes, next)
				next++
			}
		case atItem:
			next++
		case spanItem:
			axes = append(axes, next)
			next++
		}
	}
	for ; next < rank; next++ {
		axes = append(axes, next)
	}
	return axes, nil
}
