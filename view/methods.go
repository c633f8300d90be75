package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/dtype"
)

// methods are all there are, by name. Where NumPy and PyTorch give one name two meanings, it has
// NumPy's; view has both, told apart by the arguments.
var methods = sorted([]*method{
	{name: "T", attribute: true, apply: func(in form, _ args) (form, error) { return in.with(in.layout.Transpose(), nil) }},
	{name: "mT", attribute: true, apply: func(in form, _ args) (form, error) { return in.with(in.layout.MatrixTranspose()) }},
	{name: "real", attribute: true, apply: func(in form, _ args) (form, error) { return formOf(in.layout.Real(in.dt)) }},
	{name: "imag", attribute: true, apply: func(in form, _ args) (form, error) { return formOf(in.layout.Imag(in.dt)) }},

	{name: "reshape", params: []param{{names: []string{"shape"}, kind: manyInts}}, apply: applyReshape},
	{name: "view", params: []param{{names: []string{"dtype", "size", "shape"}, kind: typeOrShape}}, apply: applyView},
	{name: "ravel", apply: applyRavel},
	{name: "flatten", params: []param{optionalInt("start_dim"), optionalInt("end_dim")}, apply: applyFlatten},

	{name: "transpose", params: []param{{names: []string{"axes"}, kind: manyInts, optional: true}}, apply: applyTranspose},
	{name: "permute", params: []param{{names: []string{"dims", "axes"}, kind: manyInts}}, apply: applyTranspose},
	{name: "swapaxes", params: twoAxes("axis1", "axis2"), apply: applySwapAxes},
	{name: "swapdims", params: twoAxes("dim0", "dim1"), apply: applySwapAxes},
	{name: "moveaxis", params: twoTuples, apply: applyMoveAxis},
	{name: "movedim", params: twoTuples, apply: applyMoveAxis},

	{name: "squeeze", params: []param{someAxes}, apply: applySqueeze},
	{name: "unsqueeze", params: []param{{names: []string{"dim", "axis"}}}, apply: applyUnsqueeze},
	{name: "expand_dims", params: []param{{names: []string{"axis", "dim"}, kind: intOrTuple}}, apply: applyUnsqueeze},
	{name: "broadcast_to", params: []param{{names: []string{"shape", "size"}, kind: manyInts}}, apply: applyBroadcastTo},
	{name: "expand", params: []param{{names: []string{"size", "shape"}, kind: manyInts}}, apply: applyExpand},

	{name: "flip", params: []param{someAxes}, apply: applyFlip},
	{name: "flipud", apply: func(in form, _ args) (form, error) { return in.flipOne(0) }},
	{name: "fliplr", apply: func(in form, _ args) (form, error) { return in.flipOne(1) }},
	{name: "rot90", params: []param{optionalInt("k"), {names: []string{"axes", "dims"}, kind: intOrTuple, optional: true}}, apply: applyRot90},

	{name: "diagonal", params: []param{optionalInt("offset"), optionalInt("axis1", "dim1"), optionalInt("axis2", "dim2")}, apply: applyDiagonal},
	{name: "narrow", params: []param{{names: []string{"dim", "axis"}}, {names: []string{"start"}}, {names: []string{"length"}}}, apply: applyNarrow},
	{name: "select", params: []param{{names: []string{"dim", "axis"}}, {names: []string{"index"}}}, apply: applySelect},
	{name: "unfold", params: []param{{names: []string{"dimension", "axis"}}, {names: []string{"size"}}, {names: []string{"step"}}}, apply: applyUnfold},

	{name: "copy", apply: applyCopy, copies: copyAll, moves: copyMoves},
	{name: "clone", apply: applyCopy, copies: copyAll, moves: copyMoves},
	{name: "contiguous", apply: applyContiguous, copies: copyAll, moves: copyMoves},
	{name: "astype", params: []param{{names: []string{"dtype"}, kind: elementType}}, apply: applyAsType, copies: copyAsType},
	{name: "take", params: []param{{names: []string{"indices"}, kind: intOrTuple}, optionalInt("axis", "dim")}, apply: applyCopy, copies: copyTake},
	{name: "repeat", params: []param{{names: []string{"repeats"}, kind: intOrTuple}, optionalInt("axis", "dim")}, apply: applyCopy, copies: copyRepeat, moves: repeatMoves},
	{name: "roll", params: []param{{names: []string{"shift", "shifts"}, kind: intOrTuple}, {names: []string{"axis", "dims"}, kind: intOrTuple, optional: true}}, apply: applyCopy, copies: copyRoll, moves: rollMoves},
	{name: "tile", params: []param{{names: []string{"reps", "dims"}, kind: manyInts}}, apply: applyCopy, copies: copyTile, moves: tileMoves},
})

var (
	someAxes  = param{names: []string{"axis", "dim", "dims"}, kind: manyInts, optional: true}
	twoTuples = []param{{names: []string{"source"}, kind: intOrTuple}, {names: []string{"destination"}, kind: intOrTuple}}
)

func optionalInt(names ...string) param { return param{names: names, optional: true} }

func twoAxes(first, second string) []param {
	return []param{{names: []string{first}}, {names: []string{second}}}
}

// sorted puts the methods in order of their names.
func sorted(methods []*method) []*method {
	slices.SortFunc(methods, func(a, b *method) int { return strings.Compare(a.name, b.name) })
	return methods
}

// with returns the form of another layout, which may have failed.
func (in form) with(l Layout, err error) (form, error) { return form{l, in.dt}, err }

// formOf returns a layout and its type as a form; both may have failed.
func formOf(l Layout, t dtype.Type, err error) (form, error) { return form{l, t}, err }

func applyReshape(in form, a args) (form, error) { return in.with(in.layout.Reshape(a[0].ints...)) }

func applyView(in form, a args) (form, error) {
	if to := a[0].dt; to.Valid() {
		l, err := in.layout.Reinterpret(in.dt, to)
		return form{l, to}, err
	}
	return applyReshape(in, a)
}

func applyRavel(in form, _ args) (form, error) { return in.with(in.layout.Flatten()) }

// applyFlatten merges the axes from the first to the last one named. It merges all axes if none is
// named.
func applyFlatten(in form, a args) (form, error) {
	shape := in.layout.Shape()
	if len(shape) == 0 {
		return applyRavel(in, nil)
	}

	start, err := normalAxis(a.int(0, 0), len(shape))
	if err != nil {
		return form{}, fmt.Errorf("flatten: %w", err)
	}
	end, err := normalAxis(a.int(1, -1), len(shape))
	if err != nil {
		return form{}, fmt.Errorf("flatten: %w", err)
	}

	if start > end {
		return form{}, fmt.Errorf("flatten: expected the first axis before the last one, found %d and %d", start, end)
	}

	merged := 1
	for _, n := range shape[start : end+1] {
		merged *= n
	}
	return in.with(in.layout.Reshape(slices.Replace(shape, start, end+1, merged)...))
}

func applyTranspose(in form, a args) (form, error) {
	if !a[0].given {
		return in.with(in.layout.Transpose(), nil)
	}
	return in.with(in.layout.Permute(a[0].ints...))
}

func applySwapAxes(in form, a args) (form, error) {
	return in.with(in.layout.SwapAxes(a.int(0, 0), a.int(1, 0)))
}

func applyMoveAxis(in form, a args) (form, error) {
	return in.with(in.layout.MoveAxis(a[0].ints, a[1].ints))
}

func applySqueeze(in form, a args) (form, error) {
	if a.isEmptyTuple() {
		return in, nil
	}
	return in.with(in.layout.Squeeze(a[0].ints...))
}

// isEmptyTuple reports whether the first argument is given and names no axes, which is other than
// leaving it out.
func (a args) isEmptyTuple() bool { return a[0].given && len(a[0].ints) == 0 }

func applyUnsqueeze(in form, a args) (form, error) { return in.with(in.layout.Unsqueeze(a[0].ints...)) }

func applyBroadcastTo(in form, a args) (form, error) {
	return in.with(in.layout.BroadcastTo(a[0].ints...))
}

func applyExpand(in form, a args) (form, error) { return in.with(in.layout.Expand(a[0].ints...)) }

func applyFlip(in form, a args) (form, error) {
	if a.isEmptyTuple() {
		return in, nil
	}
	return in.with(in.layout.Flip(a[0].ints...))
}

// flipOne reverses an axis that must be there.
func (in form) flipOne(ax int) (form, error) {
	if in.layout.Rank() <= ax {
		return form{}, fmt.Errorf("flip: expected at least %d axes, found %d", ax+1, in.layout.Rank())
	}
	return in.with(in.layout.Flip(ax))
}

func applyRot90(in form, a args) (form, error) {
	plane := []int{0, 1}
	if a[1].given {
		plane = a[1].ints
	}
	if len(plane) != 2 {
		return form{}, fmt.Errorf("rotate: expected 2 axes, found %d", len(plane))
	}
	return in.with(in.layout.Rot90(a.int(0, 1), plane[0], plane[1]))
}

func applyDiagonal(in form, a args) (form, error) {
	return in.with(in.layout.Diagonal(a.int(0, 0), a.int(1, 0), a.int(2, 1)))
}

func applyNarrow(in form, a args) (form, error) {
	return in.with(in.layout.Narrow(a.int(0, 0), a.int(1, 0), a.int(2, 0)))
}

func applySelect(in form, a args) (form, error) {
	return in.with(in.layout.Select(a.int(0, 0), a.int(1, 0)))
}

func applyUnfold(in form, a args) (form, error) {
	return in.with(in.layout.Unfold(a.int(0, 0), a.int(1, 0), a.int(2, 0)))
}
