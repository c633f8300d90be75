//go:build amd64 && !noasm

package kernel

// The Joins of any windows and of those of equal widths.
var (
	joinsAVX2   = [2]Join{joinMomentsAVX2, joinMomentsEqualAVX2}
	joinsAVX512 = [2]Join{joinMomentsAVX512, joinMomentsEqualAVX512}
)
