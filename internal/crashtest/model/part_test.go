package model

import (
	"errors"
	"fmt"
)

// part picks elements of a tensor, as the text behind its name in a selector does.
type part struct {
	Kind string `json:",omitempty"` // "": all; see String
	I    int    `json:",omitempty"`
	J    int    `json:",omitempty"`
}

// String is the text of a selector.
func (p part) String() string {
	switch p.Kind {
	case "span":
		return fmt.Sprintf("[%d:%d]", p.I, p.J)
	case "every":
		return fmt.Sprintf("[::%d]", p.I)
	case "row":
		return fmt.Sprintf("[%d]", p.I)
	case "column":
		return fmt.Sprintf("[:, %d]", p.I)
	case "pick":
		return fmt.Sprintf("[[%d, %d]]", p.I, p.J)
	case "turned":
		return ".T"
	}
	return ""
}

var (
	errPart = errors.New("the part does not fit the shape")
	errPick = errors.New("the part is no view")
)

// of returns the shape of the part of a tensor, and where its elements are among those of the
// tensor in C order.
func (p part) of(shape []int) (got, at []int, err error) {
	if p.Kind == "" {
		return shape, upTo(count(shape)), nil
	}
	if p.Kind == "turned" {
		return turned(shape)
	}
	if len(shape) == 0 {
		return nil, nil, errPart
	}
	n, row := shape[0], count(shape[1:])
	switch p.Kind {
	case "span":
		lo, hi := min(p.I, n), min(p.J, n)
		return rows(shape, row, upTo(max(0, hi-lo)), lo)
	case "every":
		var picked []int
		for i := range n {
			if at := i * p.I; at < n && p.I > 0 {
				picked = append(picked, at)
			} else if p.I == -1 {
				picked = append(picked, n-1-i)
			}
		}
		return rows(shape, row, picked, 0)
	case "row":
		if p.I >= n {
			return nil, nil, errPart
		}
		_, at, _ = rows(shape, row, []int{p.I}, 0)
		return shape[1:], at, nil
	case "pick":
		if p.I >= n || p.J >= n {
			return nil, nil, errPart
		}
		return rows(shape, row, []int{p.I, p.J}, 0)
	}
	return column(shape, p.I)
}

// rows are the elements of some rows, of so many elements each, counted from first.
func rows(shape []int, row int, picked []int, first int) (got, at []int, err error) {
	at = make([]int, 0, len(picked)*row)
	for _, i := range picked {
		for k := range row {
			at = append(at, (first+i)*row+k)
		}
	}
	return append([]int{len(picked)}, shape[1:]...), at, nil
}

func column(shape []int, j int) (got, at []int, err error) {
	if len(shape) != 2 || j >= shape[1] {
		return nil, nil, errPart
	}
	for i := range shape[0] {
		at = append(at, i*shape[1]+j)
	}
	return shape[:1], at, nil
}

func turned(shape []int) (got, at []int, err error) {
	if len(shape) != 2 {
		return shape, upTo(count(shape)), nil
	}
	for j := range shape[1] {
		for i := range shape[0] {
			at = append(at, i*shape[1]+j)
		}
	}
	return []int{shape[1], shape[0]}, at, nil
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
