package generate

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tstore/tstore/dtype"
)

// Linspace generates n numbers at equal distances from start to stop. The last one is stop itself
// if endpoint is set. It is numpy.linspace, and computes in float64 as that does. Numbers of integer
// types are rounded towards minus infinity.
func Linspace(t dtype.Type, start, stop float64, n int, endpoint bool) (*Row, error) {
	if !t.Valid() || t == dtype.Bool {
		return nil, fmt.Errorf("linspace of dtype %v: expected numbers", t)
	}
	if n < 0 || int64(n) > endless(t) {
		return nil, fmt.Errorf("linspace of %d elements of %v: expected 0 to %d", n, t, endless(t))
	}

	steps := n
	if endpoint {
		steps--
	}
	delta := stop - start
	step := delta / float64(max(steps, 1))

	// The conversions to float64 forbid fused multiply-add, so that every processor makes the same
	// bits.
	at := func(i int64) float64 {
		switch {
		case endpoint && n > 1 && i == int64(n-1):
			return stop
		case step == 0 && steps > 0: // delta is too small to be divided
			return float64(float64(i)/float64(steps)*delta) + start
		}
		return float64(float64(i)*step) + start
	}

	whole := t.Kind() == dtype.KindInt || t.Kind() == dtype.KindUint
	return newRow(t, int64(n), fillConverted(t, dtype.Float64, func(elem []byte, i int64) {
		v := at(i)
		if whole {
			v = math.Floor(v)
		}
		binary.LittleEndian.PutUint64(elem, math.Float64bits(v))
	})), nil
}
