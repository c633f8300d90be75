package view

import (
	"fmt"
	"unsafe"
)

// moveStep is the most that one call of the built-in copy moves. Such a call cannot be preempted,
// so a longer one would hold up the garbage collector.
const moveStep = 1 << 20

// move carries out the plan for elements of size bytes. Positions in the plan are within dst and
// src.
func (p *movePlan) move(dst, src []byte, size int) {
	switch size {
	case 1:
		moveWords(words[[1]byte](dst), words[[1]byte](src), p)
	case 2:
		moveWords(words[[2]byte](dst), words[[2]byte](src), p)
	case 4:
		moveWords(words[[4]byte](dst), words[[4]byte](src), p)
	case 8:
		moveWords(words[[8]byte](dst), words[[8]byte](src), p)
	case 16:
		moveWords(words[[16]byte](dst), words[[16]byte](src), p)
	default:
		panic(fmt.Sprintf("BUG: elements of %d bytes", size))
	}
}

// moveWords picks the inner loop that suits the innermost axes and walks the others around it.
func moveWords[W word](dst, src []W, p *movePlan) {
	outer, inner := p.axes(), moveAxis{n: 1, dst: 1, src: 1}
	if last := len(outer) - 1; last >= 0 {
		outer, inner = outer[:last], outer[last]
	}

	across := -1
	// A source that does not repeat may be read across: tiles keep both sides in cache lines.
	if inner.src != 0 {
		across = tileAxis(outer, inner)
	}

	var rest [MaxRank]moveAxis
	loops := append(rest[:0], outer...)
	var cross moveAxis
	if across >= 0 {
		cross = loops[across]
		loops = append(loops[:across], loops[across+1:]...)
	}

	var idx [MaxRank]int

	for d, s := p.dst, p.src; ; {
		switch {
		case across >= 0:
			moveTiles(dst, src, d, s, cross, inner)
		case inner.dst == 1 && inner.src == 1:
			moveRun(dst[d:d+inner.n], src[s:s+inner.n])
		case inner.src == 0:
			fillRow(dst, d, inner, src[s])
		default:
			moveRow(dst, src, d, s, inner)
		}
		if !advanceBoth(idx[:len(loops)], loops, &d, &s) {
			return
		}
	}
}

// advanceBoth moves idx to the next index and the positions with it, or reports false after the
// last one.
func advanceBoth(idx []int, axes []moveAxis, d, s *int) bool {
	for i := len(axes) - 1; i >= 0; i-- {
		a := axes[i]
		idx[i]++
		*d += a.dst
		*s += a.src
		if idx[i] < a.n {
			return true
		}
		*d -= a.n * a.dst
		*s -= a.n * a.src
		idx[i] = 0
	}
	return false
}

// runStep is the number of bytes that moveRun moves at a time. From 1 MiB on, the built-in copy
// writes past the caches, which takes half the time for long runs. So steps are well above 1 MiB,
// and still take less than a millisecond.
const runStep = 2 << 20

// moveRun is copy in steps, for slices of equal length that may overlap: the steps go in the
// direction that reads before it overwrites.
func moveRun[W word](dst, src []W) {
	var w W

	step := runStep / len(w)
	if len(src) <= step {
		copy(dst, src)
		return
	}

	if uintptr(unsafe.Pointer(&dst[0])) <= uintptr(unsafe.Pointer(&src[0])) {
		for len(src) > 0 {
			n := copy(dst, src[:min(step, len(src))])
			dst, src = dst[n:], src[n:]
		}
		return
	}

	for end := len(src); end > 0; end = max(0, end-step) {
		start := max(0, end-step)
		copy(dst[start:end], src[start:end])
	}
}

// moveRow moves one strided row, element by element. Its ends are checked here and not each
// element.
func moveRow[W word](dst, src []W, d, s int, a moveAxis) {
	_, _ = dst[d+(a.n-1)*a.dst], src[s+(a.n-1)*a.src]
	to, from := unsafe.Pointer(&dst[d]), unsafe.Pointer(&src[s])

	var w W
	toStep, fromStep := a.dst*len(w), a.src*len(w)

	i, j := 0, 0
	// Four elements a round, so that the loop costs less than the moves.
	for n := a.n / 4; n > 0; n-- {
		*(*W)(unsafe.Add(to, i)) = *(*W)(unsafe.Add(from, j))
		*(*W)(unsafe.Add(to, i+toStep)) = *(*W)(unsafe.Add(from, j+fromStep))
		*(*W)(unsafe.Add(to, i+2*toStep)) = *(*W)(unsafe.Add(from, j+2*fromStep))
		*(*W)(unsafe.Add(to, i+3*toStep)) = *(*W)(unsafe.Add(from, j+3*fromStep))
		i += 4 * toStep
		j += 4 * fromStep
	}

	for range a.n % 4 {
		*(*W)(unsafe.Add(to, i)) = *(*W)(unsafe.Add(from, j))
		i += toStep
		j += fromStep
	}
}

// fillRow repeats v over one row.
func fillRow[W word](dst []W, d int, a moveAxis, v W) {
	if a.dst != 1 {
		for range a.n {
			dst[d] = v
			d += a.dst
		}
		return
	}
	const block = 32 << 10
	row := dst[d : d+a.n]
	row[0] = v
	for done := 1; done < len(row); {
		done += copy(row[done:], row[:min(done, block/len(v))])
	}
}
