package compute

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/window"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

const moveParams = "a, window, axis=-1"

// movingFunctions have the names of Bottleneck's. A result belongs to the last element of its window; where the window is not
// complete it is NaN.
var movingFunctions = []function{
	{name: "move_sum", params: moveParams, bind: bindMove(window.Sum), doc: "sum of each element and those before it, window of them in all"},
	{name: "move_mean", params: moveParams, bind: bindMove(window.Mean), doc: "mean of the window"},
	{name: "move_var", params: moveParams, bind: bindMove(window.Var), doc: "variance of the window, over its number of elements"},
	{name: "move_std", params: moveParams, bind: bindMove(window.Std), doc: "square root of move_var"},
	{name: "move_min", params: moveParams, bind: bindMove(window.Min), doc: "smallest element of the window"},
	{name: "move_max", params: moveParams, bind: bindMove(window.Max), doc: "largest element of the window"},
	{name: "move_median", params: moveParams, bind: bindMove(window.Median), doc: "median of the window"},
}

func bindMove(op window.Op) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("a")
		if err != nil {
			return value{}, err
		}
		if err := (takesBool | takesReal).check(c.name(), x.dtype); err != nil {
			return value{}, err
		}
		axis, ok, err := c.axis("axis", len(x.shape))
		if err != nil {
			return value{}, err
		}
		if !ok {
			if axis, err = normalAxis(-1, len(x.shape)); err != nil {
				return value{}, fmt.Errorf("%s: %w", c.name(), err)
			}
		}
		width, err := c.int("window", 0)
		if err != nil {
			return value{}, err
		}
		if width < 1 || width > x.shape[axis] {
			return value{}, c.arg("window").at.errorf("window of %d elements: expected 1 to %d, the size of axis %d", width, x.shape[axis], axis)
		}
		t := inexactType(value{node: x})
		k := &moving{name: c.name(), op: op, width: width, axis: axis}
		return value{node: b.bulkNode(node{args: []*node{x}, dtype: t, shape: x.shape, bulk: k})}, nil
	}
}

// moving is values of windows along an axis.
type moving struct {
	name  string
	op    window.Op
	width int
	axis  int
}

// String implements bulk.
func (k *moving) String() string {
	return fmt.Sprintf("%s of %d, axis %d", k.name, k.width, k.axis)
}

// moveBlock is the number of windows that are computed together, unless they are wider.
const moveBlock = 4096

func (k *moving) block() int { return max(moveBlock, k.width) }

// memory implements bulk.
func (k *moving) memory(_ *node, o *Options) int64 {
	return int64(o.Parallelism) * int64(k.block()+k.width) * 8 * 6
}

// run implements bulk.
func (k *moving) run(w *bulkWork) (err error) {
	if need := k.memory(w.node, &w.plan.opts); need > w.plan.opts.MemoryLimit {
		return fmt.Errorf("windows of %d elements take %s, the memory limit is %s: raise it, or take fewer workers", k.width, formatBytes(need), formatBytes(w.plan.opts.MemoryLimit))
	}
	seen, err1 := inLanes(w.args[0], []int{k.axis})
	into, err2 := inLanes(w.dst, []int{k.axis})
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	x, err := openOperand(seen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	if x.numElems == 0 {
		return nil
	}
	length := w.args[0].Shape()[k.axis]
	m := &mover{moving: k, work: w, x: x, out: into.Writer(), length: length, count: x.numElems / length}
	if k.single(x.dtype) {
		return moveAll[float32](m)
	}
	return moveAll[float64](m)
}

// single reports whether windows of elements of type t are computed in float32.
func (k *moving) single(t dtype.Type) bool {
	return registerType(t) == dtype.Float32 && k.op != window.Var && k.op != window.Std
}

// A mover is one run of moving: count lanes of length elements each.
type mover struct {
	*moving
	work          *bulkWork
	x             *operand
	out           *view.Writer
	count, length int
}

// moveAll computes all lanes, which are cut into blocks if they are long; of short ones a worker takes some at a time.
func moveAll[T float32 | float64](m *mover) error {
	blocks := (m.length - m.width + m.block()) / m.block()
	group := 1
	if blocks == 1 {
		group = max(1, laneChunk/m.length)
		if m.x.inner == nil {
			group = max(group, fewLanes)
		}
	}
	chunks := (m.count + group - 1) / group * blocks
	extent := func(chunk int) (first, n int) {
		if blocks == 1 {
			return chunk * group * m.length, min(group, m.count-chunk*group) * m.length
		}
		at := chunk % blocks * m.block()
		return chunk/blocks*m.length + at, min(m.block()+m.width-1, m.length-at)
	}
	stop := m.work.watch()
	return m.work.each(chunkedBy{chunks, func() func(int) error {
		most := group * m.length
		if blocks > 1 {
			most = m.block() + m.width - 1
		}
		l := &laneMover[T]{mover: m, windows: window.NewMover[T](m.op, m.width, stop), buf: m.x.buffer(most), typed: make([]T, most)}
		l.results = alignedBytes((min(most, m.length) + m.width) * m.work.dst.DType().Size())
		return func(chunk int) error {
			first, n := extent(chunk)
			x, err := l.load(first, n)
			if err != nil {
				return err
			}
			if blocks > 1 {
				return l.move(x, first, chunk%blocks == 0)
			}
			for ; len(x) > 0; x, first = x[m.length:], first+m.length {
				if err := l.move(x[:m.length], first, true); err != nil {
					return err
				}
			}
			return nil
		}
	}}, extent, m.x)
}

// A laneMover is the part of a mover that one goroutine does.
type laneMover[T float32 | float64] struct {
	*mover
	windows *window.Mover[T]
	buf     []byte
	typed   []T
	results []byte
}

// load returns elements as T.
func (l *laneMover[T]) load(first, n int) ([]T, error) {
	b, err := l.x.fetch(l.buf, first, n)
	if err != nil {
		return nil, err
	}
	if l.x.dtype == dtype.Of[T]() {
		return elements[T](b), nil
	}
	convert(dtype.Of[T](), l.x.dtype, unsafe.Pointer(&l.typed[0]), unsafe.Pointer(&b[0]), n)
	return l.typed[:n], nil
}

func convert(to, from dtype.Type, dst, src unsafe.Pointer, n int) {
	step := kernel.MaxCallBytes / 8
	f := kernel.Convert(from, to)
	for i := 0; i < n; i += step {
		kernel.Call(f, unsafe.Add(dst, i*to.Size()), unsafe.Add(src, i*from.Size()), nil, nil, nil, min(step, n-i))
	}
}

// move stores the windows over elements that start at one, and, at the start of a lane, what is before the first one.
func (l *laneMover[T]) move(x []T, first int, start bool) error {
	t := l.work.dst.DType()
	at, n := (first+l.width-1)*t.Size(), len(x)-l.width+1
	if start && l.width > 1 {
		if err := l.blank(first); err != nil {
			return err
		}
	}
	made := l.windows.Move(x, n)
	out := unsafe.Slice((*byte)(unsafe.Pointer(&made[0])), n*t.Size())
	if t != dtype.Of[T]() {
		out = l.results[:n*t.Size()]
		convert(t, dtype.Of[T](), unsafe.Pointer(&out[0]), unsafe.Pointer(&made[0]), n)
	}
	_, err := l.out.WriteAt(out, int64(at))
	return err
}

// blank stores NaN where windows are not complete.
func (l *laneMover[T]) blank(first int) error {
	t := l.work.dst.DType()
	none := dtype.ScalarOf(math.NaN()).Convert(t)
	b := l.results[:(l.width-1)*t.Size()]
	for i := 0; i < len(b); i += t.Size() {
		none.Store(b[i:])
	}
	_, err := l.out.WriteAt(b, int64(first*t.Size()))
	return err
}

// Move is the values of windows that move along an axis of e, by the name of their function without "move_", such as "mean".
func Move(name string, e Expr, width, axis int) Expr {
	if !slices.ContainsFunc(movingFunctions, func(f function) bool { return f.name == "move_"+name }) {
		return errorExpr(fmt.Errorf("there is no moving %q", name))
	}
	return Call("move_"+name, e, Scalar(width), Scalar(axis))
}
