package view_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A model is a tensor as a list: the byte that each element starts at, in C order. It knows no
// strides.
type model struct {
	shape []int
	dt    dtype.Type
	at    []int
}

// modelOf returns the model of elements at a layout.
func modelOf(l view.Layout, dt dtype.Type) model {
	m := model{shape: l.Shape(), dt: dt, at: []int{}}
	for idx := range indexes(m.shape) {
		pos, err := l.Pos(idx...)
		if err != nil {
			panic(err)
		}
		m.at = append(m.at, pos*dt.Size())
	}
	return m
}

// get returns where the element of an index starts.
func (m model) get(idx []int) int {
	k := 0
	for i, n := range m.shape {
		k = k*n + idx[i]
	}
	return m.at[k]
}

// build returns the model of a shape whose element idx is element from(idx) of m.
func (m model) build(shape []int, from func(idx []int) []int) model {
	out := model{shape: shape, dt: m.dt, at: []int{}}
	for idx := range indexes(shape) {
		out.at = append(out.at, m.get(from(slices.Clone(idx))))
	}
	return out
}

// permuted returns m with axis i being axis order[i] of m.
func (m model) permuted(order []int) model {
	shape := make([]int, len(order))
	for i, ax := range order {
		shape[i] = m.shape[ax]
	}
	return m.build(shape, func(idx []int) []int {
		out := make([]int, len(order))
		for i, ax := range order {
			out[ax] = idx[i]
		}
		return out
	})
}

// picked returns m with only the listed indexes of an axis.
func (m model) picked(ax int, list []int) model {
	shape := slices.Clone(m.shape)
	shape[ax] = len(list)
	return m.build(shape, func(idx []int) []int {
		idx[ax] = list[idx[ax]]
		return idx
	})
}

// shaped returns the elements of m in their order with another shape.
func (m model) shaped(shape []int) model { return model{shape: shape, dt: m.dt, at: m.at} }

// typed returns elements that start at each of the offsets within those of m.
func (m model) typed(dt dtype.Type, shape []int, offsets ...int) model {
	out := model{shape: shape, dt: dt, at: []int{}}
	for _, at := range m.at {
		for _, off := range offsets {
			out.at = append(out.at, at+off)
		}
	}
	return out
}

// An operation makes the text of a method with valid arguments, and what it does to a model. It
// returns no text where it has nothing to work on.
type operation func(rng *rand.Rand, m model) (string, model)

// onAxis makes an operation of one that needs an axis; it gets the axis as a number from 0 and as
// text, which may count from the end.
func onAxis(f func(rng *rand.Rand, m model, ax int, text string) (string, model)) operation {
	return func(rng *rand.Rand, m model) (string, model) {
		if len(m.shape) == 0 {
			return "", m
		}
		ax := rng.IntN(len(m.shape))
		return f(rng, m, ax, fmt.Sprint(ax-len(m.shape)*rng.IntN(2)))
	}
}

// onPair is onAxis for two different axes.
func onPair(f func(rng *rand.Rand, m model, a, b int) (string, model)) operation {
	return func(rng *rand.Rand, m model) (string, model) {
		if len(m.shape) < 2 {
			return "", m
		}
		axes := rng.Perm(len(m.shape))
		return f(rng, m, axes[0], axes[1])
	}
}

var operations = []operation{
	func(_ *rand.Rand, m model) (string, model) {
		order := make([]int, len(m.shape))
		for i := range order {
			order[i] = len(order) - 1 - i
		}
		return ".T", m.permuted(order)
	},
	func(rng *rand.Rand, m model) (string, model) {
		order := rng.Perm(len(m.shape))
		return ".permute(" + tupleText(order) + ")", m.permuted(order)
	},
	onPair(func(_ *rand.Rand, m model, a, b int) (string, model) {
		order := identity(len(m.shape))
		order[a], order[b] = b, a
		return fmt.Sprintf(".swapaxes(%d, %d)", a, b), m.permuted(order)
	}),
	onPair(func(_ *rand.Rand, m model, a, b int) (string, model) {
		order := slices.Delete(identity(len(m.shape)), a, a+1)
		return fmt.Sprintf(".moveaxis(%d, %d)", a, b), m.permuted(slices.Insert(order, b, a))
	}),
	onAxis(func(_ *rand.Rand, m model, ax int, text string) (string, model) {
		if m.shape[ax] != 1 {
			return "", m
		}
		return ".squeeze(" + text + ")", m.shaped(slices.Delete(slices.Clone(m.shape), ax, ax+1))
	}),
	func(rng *rand.Rand, m model) (string, model) {
		ax := rng.IntN(len(m.shape) + 1)
		return fmt.Sprintf(".unsqueeze(%d)", ax), m.shaped(slices.Insert(slices.Clone(m.shape), ax, 1))
	},
	onAxis(func(rng *rand.Rand, m model, ax int, _ string) (string, model) {
		if m.shape[ax] != 1 {
			return "", m
		}
		wide := slices.Clone(m.shape)
		wide[ax] = 1 + rng.IntN(3)
		return ".broadcast_to(" + tupleText(wide) + ")", m.picked(ax, make([]int, wide[ax]))
	}),
	func(rng *rand.Rand, m model) (string, model) {
		n := 1 + rng.IntN(2)
		wide := m.shaped(append([]int{1}, m.shape...)).picked(0, make([]int, n))
		return ".expand(" + tupleText(append([]int{n}, slices.Repeat([]int{-1}, len(m.shape))...)) + ")", wide
	},
	onAxis(func(_ *rand.Rand, m model, ax int, text string) (string, model) {
		list := identity(m.shape[ax])
		slices.Reverse(list)
		return ".flip(" + text + ")", m.picked(ax, list)
	}),
	onPair(func(_ *rand.Rand, m model, a, b int) (string, model) {
		// A quarter turn brings element (i, j) to (last - j, i).
		order := identity(len(m.shape))
		order[a], order[b] = b, a
		list := identity(m.shape[b])
		slices.Reverse(list)
		return fmt.Sprintf(".rot90(1, (%d, %d))", a, b), m.picked(b, list).permuted(order)
	}),
	onPair(func(rng *rand.Rand, m model, a, b int) (string, model) {
		offset := rng.IntN(5) - 2
		n := max(0, min(m.shape[a]-max(0, -offset), m.shape[b]-max(0, offset)))
		shape := append(slices.DeleteFunc(identity(len(m.shape)), func(ax int) bool { return ax == a || ax == b }), -1)
		kept := slices.Clone(shape)
		for i, ax := range kept[:len(kept)-1] {
			shape[i] = m.shape[ax]
		}
		shape[len(shape)-1] = n
		return fmt.Sprintf(".diagonal(%d, %d, %d)", offset, a, b), m.build(shape, func(idx []int) []int {
			out, k := make([]int, len(m.shape)), idx[len(idx)-1]
			for i, ax := range kept[:len(kept)-1] {
				out[ax] = idx[i]
			}
			out[a], out[b] = k+max(0, -offset), k+max(0, offset)
			return out
		})
	}),
	onAxis(func(rng *rand.Rand, m model, ax int, text string) (string, model) {
		start := rng.IntN(m.shape[ax] + 1)
		n := rng.IntN(m.shape[ax] - start + 1)
		return fmt.Sprintf(".narrow(%s, %d, %d)", text, start, n), m.picked(ax, identity(m.shape[ax])[start:start+n])
	}),
	onAxis(func(rng *rand.Rand, m model, ax int, text string) (string, model) {
		if m.shape[ax] == 0 {
			return "", m
		}
		i := rng.IntN(m.shape[ax])
		return fmt.Sprintf(".select(%s, %d)", text, i), m.picked(ax, []int{i}).shaped(slices.Delete(slices.Clone(m.shape), ax, ax+1))
	}),
	onAxis(func(rng *rand.Rand, m model, ax int, text string) (string, model) {
		size, step := rng.IntN(m.shape[ax]+1), 1+rng.IntN(3)
		shape := append(slices.Clone(m.shape), size)
		shape[ax] = (m.shape[ax]-size)/step + 1
		return fmt.Sprintf(".unfold(%s, %d, %d)", text, size, step), m.build(shape, func(idx []int) []int {
			last := len(idx) - 1
			idx[ax] = idx[ax]*step + idx[last]
			return idx[:last]
		})
	}),
	onAxis(func(rng *rand.Rand, m model, ax int, _ string) (string, model) {
		start, step := rng.IntN(m.shape[ax]+1), 1+rng.IntN(3)
		list := []int{}
		for i := start; i < m.shape[ax]; i += step {
			list = append(list, i)
		}
		return fmt.Sprintf("[%s%d::%d]", strings.Repeat(":, ", ax), start, step), m.picked(ax, list)
	}),
	onPair(func(_ *rand.Rand, m model, a, _ int) (string, model) {
		if a+1 == len(m.shape) {
			return "", m
		}
		merged := slices.Replace(slices.Clone(m.shape), a, a+2, m.shape[a]*m.shape[a+1])
		return ".reshape(" + tupleText(merged) + ")", m.shaped(merged)
	}),
	onAxis(func(_ *rand.Rand, m model, ax int, _ string) (string, model) {
		if m.shape[ax]%2 != 0 {
			return "", m
		}
		parted := slices.Replace(slices.Clone(m.shape), ax, ax+1, 2, m.shape[ax]/2)
		return ".reshape(" + tupleText(parted) + ")", m.shaped(parted)
	}),
	func(_ *rand.Rand, m model) (string, model) {
		if m.dt != dtype.Complex64 {
			return "", m
		}
		return ".imag", m.typed(dtype.Float32, m.shape, 4)
	},
	onAxis(func(_ *rand.Rand, m model, _ int, _ string) (string, model) {
		if m.dt.Size() < 4 {
			return "", m
		}
		finer := slices.Clone(m.shape)
		finer[len(finer)-1] *= 2
		half := map[int]dtype.Type{4: dtype.Int16, 8: dtype.Int32}[m.dt.Size()]
		return ".view(" + half.String() + ")", m.typed(half, finer, 0, half.Size())
	}),
}

func identity(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func tupleText(values []int) string {
	return "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ", "), "[]") + ")"
}

// Chains of random methods do to layouts what they do to lists.
func TestMethodsAgainstLists(t *testing.T) {
	const chains, steps, seed = 2000, 10, 7
	rng := rand.New(rand.NewPCG(seed, 0))
	done := map[string]int{}
	for range chains {
		l := mustMake(t, []int{2, 3, 4}, [][]int{{12, 4, 1}, {1, 2, 6}, {-24, 8, 1}, {12, -4, 2}}[rng.IntN(4)], 40)
		dt := dtype.Complex64
		m := modelOf(l, dt)
		for range steps {
			text, want := operations[rng.IntN(len(operations))](rng, m)
			if text == "" || len(want.at) > 500 || len(want.shape) > 8 {
				continue
			}
			c, err := view.ParseMethods(text)
			if err != nil {
				t.Fatal(err)
			}
			nextLayout, nextType, err := c.Apply(l, dt)
			if errors.Is(err, view.ErrNeedsCopy) && strings.HasPrefix(text, ".reshape") {
				continue
			}
			if err != nil && strings.HasPrefix(text, ".view") && l.Stride(l.Rank()-1) != 1 {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %s%s: %v", seed, l, text, err)
			}
			if diff := cmp.Diff(want, modelOf(nextLayout, nextType), cmp.AllowUnexported(model{})); diff != "" {
				t.Fatalf("seed %d: %s%s (-want +got):\n%s", seed, l, text, diff)
			}
			l, dt, m = nextLayout, nextType, want
			name, _, _ := strings.Cut(strings.Replace(text, "[", "[(", 1), "(")
			done[name]++
		}
	}
	for _, name := range []string{".T", ".permute", ".swapaxes", ".moveaxis", ".squeeze", ".unsqueeze", ".broadcast_to", ".expand", ".flip",
		".rot90", ".diagonal", ".narrow", ".select", ".unfold", "[", ".reshape", ".imag", ".view"} {
		if done[name] < 30 {
			t.Errorf("%s was tried only %d times", name, done[name])
		}
	}
}
