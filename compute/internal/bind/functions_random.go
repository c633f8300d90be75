package bind

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"github.com/tstore/tstore/compute/internal/generate"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// randomFunctions are functions of their seeds: each element is made of its number, without those
// before it.
var randomFunctions = []function{
	{name: "random", params: "seed, shape=(), dtype=float64", bind: bindRandom, doc: "random elements that seed decides: floats in [0, 1), integers over the whole range"},
	{name: "uniform", params: "seed, low=0.0, high=1.0, shape=None", bind: bindUniform, doc: "random float64 from low up to high: low + (high - low)*random(seed, shape)"},
	{name: "normal", params: "seed, loc=0.0, scale=1.0, shape=None", bind: bindNormal, doc: "random float64 of a normal distribution with mean loc and standard deviation scale"},
	{name: "integers", params: "seed, low, high=None, shape=(), dtype=int64, endpoint=False", bind: bindIntegers, doc: "random integers from low up to below high, or from 0 up to below low; up to high with endpoint"},
	{name: "permutation", params: "seed, x", bind: bindPermutation, doc: "the numbers below x in a random order, or the parts of an array along its first axis"},
}

// seed returns the argument seed.
func (c *call) seed() (uint64, error) {
	n, err := c.number("seed", number.Number{})
	if err != nil {
		return 0, err
	}
	if !n.IsInt() || !n.Int.IsUint64() {
		return 0, c.arg("seed").At.Errorf("a seed is an integer from 0 to %d", uint64(math.MaxUint64))
	}
	return n.Int.Uint64(), nil
}

func bindRandom(b *binder, c *call) (value, error) {
	seed, err := c.seed()
	if err != nil {
		return value{}, err
	}

	t, err := c.dtype("dtype", dtype.Float64)
	if err != nil {
		return value{}, err
	}

	shape := []int{}
	if c.arg("shape") != nil {
		if shape, err = c.shape("shape"); err != nil {
			return value{}, err
		}
	}

	g, err := generate.Random(t, seed)
	if err != nil {
		return value{}, err
	}
	return b.array(g, shape)
}

// fractions returns random float64 of a shape, or of that in which some operands meet.
func (c *call) fractions(seed uint64, operands ...string) (value, error) {
	var nodes []*graph.Node
	for _, name := range operands {
		v, ok, err := c.value(name)
		if err != nil {
			return value{}, err
		}
		if ok && v.node != nil {
			nodes = append(nodes, v.node)
		}
	}
	shape := []int{}
	for _, n := range nodes {
		joined, ok := graph.JoinShapes(shape, n.Shape)
		if !ok {
			return value{}, fmt.Errorf("%s: shapes %s do not go together", c.name(), graph.FormatShapes(nodes))
		}
		shape = joined
	}
	if c.arg("shape") != nil {
		var err error
		if shape, err = c.shape("shape"); err != nil {
			return value{}, err
		}
		for _, n := range nodes {
			if !graph.Stretches(n.Shape, shape) {
				return value{}, fmt.Errorf("%s: an argument of shape %s does not fit shape %s", c.name(), syntax.FormatShape(n.Shape), syntax.FormatShape(shape))
			}
		}
	}
	g, err := generate.Random(dtype.Float64, seed)
	if err != nil {
		return value{}, err
	}
	return c.b.array(g, shape)
}

func bindUniform(b *binder, c *call) (value, error) {
	seed, err := c.seed()
	if err != nil {
		return value{}, err
	}
	u, err := c.fractions(seed, "low", "high")
	if err != nil {
		return value{}, err
	}
	return b.write(c, "low + (high - low)*u", given{"u": u})
}

// otherStream is added to a seed for a second stream.
const otherStream = 0x9e3779b97f4a7c15

// bindNormal transforms two streams of fractions (Box and Muller, 1958).
func bindNormal(b *binder, c *call) (value, error) {
	seed, err := c.seed()
	if err != nil {
		return value{}, err
	}
	u, err := c.fractions(seed, "loc", "scale")
	if err != nil {
		return value{}, err
	}
	v, err := c.fractions(seed+otherStream, "loc", "scale")
	if err != nil {
		return value{}, err
	}
	return b.write(c, "loc + scale*(sqrt(-2*log1p(-u))*cos(2*pi*v))", given{"u": u, "v": v})
}

func bindIntegers(b *binder, c *call) (value, error) {
	seed, err1 := c.seed()
	low, err2 := c.number("low", number.Number{})
	high, err3 := c.number("high", number.Number{})
	closed, err4 := c.flag("endpoint", false)
	t, err5 := c.dtype("dtype", dtype.Int64)
	if err := cmp.Or(err1, err2, err3, err4, err5); err != nil {
		return value{}, err
	}
	if c.arg("high") == nil {
		low, high = number.Int(big.NewInt(0)), low
	}
	if !low.IsInt() || !high.IsInt() {
		return value{}, fmt.Errorf("%s: bounds are integers", c.name())
	}
	last := new(big.Int).Set(high.Int)
	if !closed {
		last.Sub(last, big.NewInt(1))
	}
	if last.Cmp(low.Int) < 0 {
		return value{}, fmt.Errorf("%s: no integer is from %v up to below %v", c.name(), low.Int, high.Int)
	}
	g, err := integersOf(t, seed, low.Int, last)
	if err != nil {
		return value{}, fmt.Errorf("%s: %w", c.name(), err)
	}
	shape := []int{}
	if c.arg("shape") != nil {
		if shape, err = c.shape("shape"); err != nil {
			return value{}, err
		}
	}
	return b.array(g, shape)
}

// integersOf generates integers from first to last.
func integersOf(t dtype.Type, seed uint64, first, last *big.Int) (*generate.Row, error) {
	for _, bound := range []*big.Int{first, last} {
		if kindSetOf(t)&takesInt != 0 {
			if err := number.CheckRange(t, bound); err != nil {
				return nil, err
			}
		}
	}
	count := new(big.Int).Sub(last, first)
	count.Add(count, big.NewInt(1))

	// All 2⁶⁴ integers are a count of 0, as counts have 64 bits. So have sums of counts and firsts.
	low := new(big.Int).And(first, new(big.Int).SetUint64(math.MaxUint64))
	return generate.Integers(t, seed, int64(low.Uint64()), new(big.Int).And(count, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
}

func bindPermutation(b *binder, c *call) (value, error) {
	seed, err := c.seed()
	if err != nil {
		return value{}, err
	}
	v, _, err := c.value("x")
	if err != nil {
		return value{}, err
	}
	if _, ok := v.constant(); ok {
		count, err := c.int("x", 0)
		if err != nil {
			return value{}, err
		}
		if count < 0 {
			return value{}, c.arg("x").At.Errorf("expected how many numbers there are, 0 or more, or an array")
		}
		return b.row(generate.Permutation(seed, count), count)
	}
	if len(v.node.Shape) == 0 {
		return value{}, c.arg("x").At.Errorf("expected how many numbers there are, or an array with one axis at least")
	}

	// The parts of an array are picked by such numbers.
	count := v.node.Shape[0]
	order, err := b.row(generate.Permutation(seed, count), count)
	if err != nil {
		return value{}, err
	}
	return b.picked(v.node, order.node)
}

// picked returns the parts of n along its first axis that an array of indexes picks.
func (b *binder) picked(n, indexes *graph.Node) (value, error) {
	arrays := []*graph.Node{indexes}
	later := n.IsPickedLater(arrays)
	item, err := b.IndexArray(indexes, later)
	if err != nil {
		return value{}, err
	}
	if !later {
		arrays = nil
	}
	made, err := b.Gather(n, view.Fancy{item}, arrays)
	return valueOf(made), err
}
