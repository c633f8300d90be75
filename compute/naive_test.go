package compute

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// A naive evaluator says what each element of a node is, one after the other, by arithmetic on
// scalars. It is the reference for everything between binding and the results: lowering, passes,
// chunks, workers.
type naive struct {
	t    testing.TB
	memo map[naiveKey]dtype.Scalar // of reductions
}

type naiveKey struct {
	n   *graph.Node
	pos int // in C order
}

// elements returns the elements of n at every step-th position in C order.
func (e *naive) elements(n *graph.Node, step int) []dtype.Scalar {
	var found []dtype.Scalar
	for pos := 0; pos < graph.NumElems(n.Shape); pos += step {
		found = append(found, e.at(n, unravel(pos, n.Shape)))
	}
	return found
}

// unravel returns the indexes of a position in C order.
func unravel(pos int, shape []int) []int {
	index := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis] = pos % shape[axis]
		pos /= shape[axis]
	}
	return index
}

func ravel(index, shape []int) int {
	pos := 0
	for axis, i := range index {
		pos = pos*shape[axis] + i
	}
	return pos
}

// stretched returns the index in an operand of a shape that is broadcast.
func stretched(index, shape []int) []int {
	index = index[len(index)-len(shape):]
	out := make([]int, len(shape))
	for axis, size := range shape {
		if size != 1 {
			out[axis] = index[axis]
		}
	}
	return out
}

// at returns the element of n at an index.
func (e *naive) at(n *graph.Node, index []int) dtype.Scalar {
	switch n.Kind {
	case graph.NodeTensor:
		v, err := n.Tensor.Get(stretched(index, n.Tensor.Shape())...)
		if err != nil {
			e.t.Fatal(err)
		}
		return v
	case graph.NodeScalar:
		return n.Scalar
	case graph.NodeCast:
		return e.at(n.Args[0], stretched(index, n.Args[0].Shape)).Convert(n.DType)
	case graph.NodeMap:
		args := make([]dtype.Scalar, len(n.Args))
		for i, arg := range n.Args {
			args[i] = e.at(arg, stretched(index, arg.Shape))
		}
		return naiveOp(n.Op, args).Convert(n.DType)
	case graph.NodeJoin:
		pos, err := n.Layout.Pos(index...)
		if err != nil {
			e.t.Fatal(err)
		}
		part := slices.IndexFunc(n.Joint.First[1:], func(end int) bool { return pos%n.Joint.Run < end })
		return e.at(n.Args[part], unravel(n.Joint.Before(part, pos), n.Args[part].Shape))
	case graph.NodeView:
		pos, err := n.Layout.Pos(index...)
		if err != nil {
			e.t.Fatal(err)
		}
		return e.at(n.Args[0], unravel(pos, n.Args[0].Shape))
	case graph.NodeReduce:
		key := naiveKey{n, ravel(index, n.Shape)}
		if _, ok := e.memo[key]; !ok {
			e.memo[key] = e.reduce(n, index)
		}
		return e.memo[key]
	}
	panic(fmt.Sprintf("BUG: no naive node of kind %d", n.Kind))
}

// reduce goes over the elements that make one element of a reduction.
func (e *naive) reduce(n *graph.Node, index []int) dtype.Scalar {
	operand := n.Args[0]
	reduced := map[int]bool{}
	var sizes []int
	for _, axis := range n.Reduce.Axes {
		reduced[axis] = true
		sizes = append(sizes, operand.Shape[axis])
	}
	whole := make([]int, len(operand.Shape))
	next := 0
	for axis := range whole {
		switch {
		case !reduced[axis]:
			whole[axis] = index[next]
			next++
		case n.Reduce.KeepDims:
			next++
		}
	}
	var values []dtype.Scalar
	for pos := range graph.NumElems(sizes) {
		for i, at := range unravel(pos, sizes) {
			whole[n.Reduce.Axes[i]] = at
		}
		if len(n.Args) == 2 && e.at(n.Args[1], stretched(whole, n.Args[1].Shape)).IsZero() {
			continue
		}
		values = append(values, e.at(operand, whole))
	}
	return naiveReduce(n.Reduce.Op, values, operand.DType, n.DType)
}

// naiveReduce makes one value of many. Sums are of integers, or of floats that add up without
// rounding.
func naiveReduce(op reduce.Op, values []dtype.Scalar, from, to dtype.Type) dtype.Scalar {
	result := dtype.ScalarOf(int64(0))
	for i, v := range values {
		switch op {
		case reduce.Sum:
			if i == 0 {
				result = v.Convert(to)
			} else {
				result = naiveOp(kernel.Add, []dtype.Scalar{result, v.Convert(to)})
			}
		case reduce.Min, reduce.Max:
			pick := map[reduce.Op]kernel.Op{reduce.Min: kernel.Min, reduce.Max: kernel.Max}[op]
			if i == 0 {
				result = v
			} else {
				result = naiveOp(pick, []dtype.Scalar{result, v})
			}
		case reduce.CountNonzero:
			if !v.IsZero() {
				result = naiveOp(kernel.Add, []dtype.Scalar{result, dtype.ScalarOf(int64(1))})
			}
		default:
			panic(fmt.Sprintf("BUG: no naive %v of %v", op, from))
		}
	}
	return result.Convert(to)
}

// naiveOp computes one element of an operation. Floats narrower than float64 are computed in
// float64 and rounded, which for one operation is the same as rounding once.
func naiveOp(op kernel.Op, args []dtype.Scalar) dtype.Scalar {
	if op == kernel.Where {
		if args[0].IsZero() {
			return args[2]
		}
		return args[1]
	}
	t := args[0].Type()
	switch t.Kind() {
	case dtype.KindBool:
		return naiveBool(op, args)
	case dtype.KindInt:
		return naiveInteger[int64](op, args, dtype.Int64)
	case dtype.KindUint:
		return naiveInteger[uint64](op, args, dtype.Uint64)
	case dtype.KindFloat:
		return naiveFloat(op, args)
	}
	panic(fmt.Sprintf("BUG: no naive %v of %v", op, t))
}

func naiveBool(op kernel.Op, args []dtype.Scalar) dtype.Scalar {
	a := !args[0].IsZero()
	b := len(args) > 1 && !args[1].IsZero()
	if result, ok := naiveCompare(op, oneIf(a), oneIf(b)); ok {
		return result
	}
	switch op {
	case kernel.Copy, kernel.Abs:
		return args[0]
	case kernel.Invert:
		return dtype.ScalarOf(!a)
	case kernel.And, kernel.Mul, kernel.Min:
		return dtype.ScalarOf(a && b)
	case kernel.Or, kernel.Add, kernel.Max:
		return dtype.ScalarOf(a || b)
	case kernel.Xor:
		return dtype.ScalarOf(a != b)
	}
	panic(fmt.Sprintf("BUG: no naive %v of bools", op))
}

func oneIf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// naiveInteger computes in the widest type, and wraps to that of the operands.
func naiveInteger[T int64 | uint64](op kernel.Op, args []dtype.Scalar, wide dtype.Type) dtype.Scalar {
	a := args[0].Convert(wide).Any().(T)
	var b T
	if len(args) > 1 {
		b = args[1].Convert(wide).Any().(T)
	}
	if result, ok := naiveCompare(op, a, b); ok {
		return result
	}
	var v T
	switch op {
	case kernel.Copy:
		v = a
	case kernel.Neg:
		v = -a
	case kernel.Abs:
		v = max(a, -a)
		if a >= 0 {
			v = a
		}
	case kernel.Square:
		v = a * a
	case kernel.Invert:
		v = ^a
	case kernel.Add:
		v = a + b
	case kernel.Sub:
		v = a - b
	case kernel.Mul:
		v = a * b
	case kernel.Min:
		v = min(a, b)
	case kernel.Max:
		v = max(a, b)
	case kernel.And:
		v = a & b
	case kernel.Or:
		v = a | b
	case kernel.Xor:
		v = a ^ b
	case kernel.Floor, kernel.Ceil, kernel.Trunc, kernel.Rint:
		v = a
	default:
		panic(fmt.Sprintf("BUG: no naive %v of integers", op))
	}
	return dtype.ScalarOf(v).Convert(args[0].Type())
}

func naiveFloat(op kernel.Op, args []dtype.Scalar) dtype.Scalar {
	a, b := args[0].Float64(), 0.0
	if len(args) > 1 {
		b = args[1].Float64()
	}
	if result, ok := naiveCompare(op, a, b); ok {
		return result
	}
	var v float64
	switch op {
	case kernel.Copy:
		v = a
	case kernel.Neg:
		v = -a
	case kernel.Abs:
		v = math.Abs(a)
	case kernel.Square:
		v = a * a
	case kernel.Sqrt:
		v = math.Sqrt(a)
	case kernel.Reciprocal:
		v = 1 / a
	case kernel.Floor:
		v = math.Floor(a)
	case kernel.Ceil:
		v = math.Ceil(a)
	case kernel.Trunc:
		v = math.Trunc(a)
	case kernel.Rint:
		v = math.RoundToEven(a)
	case kernel.IsNaN:
		return dtype.ScalarOf(math.IsNaN(a))
	case kernel.IsFinite:
		return dtype.ScalarOf(!math.IsNaN(a) && !math.IsInf(a, 0))
	case kernel.Add:
		v = a + b
	case kernel.Sub:
		v = a - b
	case kernel.Mul:
		v = a * b
	case kernel.Div:
		v = a / b
	case kernel.Min:
		v = min(a, b)
	case kernel.Max:
		v = max(a, b)
	default:
		panic(fmt.Sprintf("BUG: no naive %v of floats", op))
	}
	return dtype.ScalarOf(v).Convert(args[0].Type())
}

func naiveCompare[T int64 | uint64 | float64](op kernel.Op, a, b T) (dtype.Scalar, bool) {
	switch op {
	case kernel.Equal:
		return dtype.ScalarOf(a == b), true
	case kernel.NotEqual:
		return dtype.ScalarOf(a != b), true
	case kernel.Less:
		return dtype.ScalarOf(a < b), true
	case kernel.LessEqual:
		return dtype.ScalarOf(a <= b), true
	case kernel.Greater:
		return dtype.ScalarOf(a > b), true
	case kernel.GreaterEqual:
		return dtype.ScalarOf(a >= b), true
	case kernel.Not:
		return dtype.ScalarOf(a == 0), true
	}
	return dtype.Scalar{}, false
}
