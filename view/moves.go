package view

import "fmt"

// A Move is a part of a copy: the elements at From go to To, which has the same shape.
type Move struct{ To, From Layout }

// Moves returns what the step copies of elements at l, without reading any: the shape of its
// result, and moves that together make all of its elements, once each; the positions of To count
// the elements of the result in C order.
//
// A copy, tile and repeat by one number take one move, roll takes two for each axis that turns. The
// error wraps ErrNeedsCopy for other steps, for a roll of all elements where these cannot be viewed
// as one axis, and for one of very many axes.
func (s Step) Moves(l Layout) (shape []int, moves []Move, err error) {
	if s.method == nil || s.method.moves == nil {
		return nil, nil, fmt.Errorf("moves of %s: %w", s, ErrNeedsCopy)
	}
	return s.method.moves(l, s.args)
}

// movesOf returns one move that makes a result of some shape: of the elements of l, in C order.
func movesOf(shape []int, l Layout) ([]int, []Move, error) {
	if len(l.axes) > MaxRank {
		return nil, nil, fmt.Errorf("%d axes at once: %w", len(l.axes), ErrNeedsCopy)
	}
	to, err := NewLayout(l.Shape()...)
	return shape, []Move{{to, l}}, err
}

func copyMoves(l Layout, _ args) ([]int, []Move, error) { return movesOf(l.Shape(), l) }

func tileMoves(l Layout, a args) ([]int, []Move, error) {
	shape, err := TileShape(l, a[0].ints...)
	if err != nil {
		return nil, nil, err
	}
	return movesOf(shape, tiled(l, a[0].ints))
}

func repeatMoves(l Layout, a args) ([]int, []Move, error) {
	counts, axis := a[0].ints, a.int(1, Flat)
	shape, err := RepeatShape(l, counts, axis)
	if err != nil {
		return nil, nil, err
	}
	if len(counts) != 1 {
		return nil, nil, fmt.Errorf("repeat by %d numbers: %w", len(counts), ErrNeedsCopy)
	}
	return movesOf(shape, repeated(l, counts[0], axis))
}

// maxRolled is the number of axes up to which a roll has moves: twice as many for each of them.
const maxRolled = 10

func rollMoves(l Layout, a args) ([]int, []Move, error) {
	axes := a[1].ints
	turns, err := turnsOf(l, a[0].ints, axes)
	if err != nil {
		return nil, nil, err
	}

	rolled := 0
	for _, by := range turns {
		if by != 0 {
			rolled++
		}
	}

	shape := l.Shape()
	switch {
	case rolled == 0:
		return movesOf(shape, l)
	case rolled > maxRolled:
		return nil, nil, fmt.Errorf("roll of %d axes: %w", rolled, ErrNeedsCopy)
	case len(axes) == 0:
		if l, err = l.Flatten(); err != nil {
			return nil, nil, err
		}
	}

	to, err := NewLayout(l.Shape()...)
	if err != nil {
		return nil, nil, err
	}

	var moves []Move
	err = eachRoll(to, l, turns, func(m Move) error {
		moves = append(moves, m)
		return nil
	})
	return shape, moves, err
}
