package view

import "github.com/tstore/tstore/internal/syntax"

// An Index picks a part of a layout, as the text between the brackets of NumPy's basic indexing
// does: one Item per comma. The empty Index picks everything.
type Index []Item

// An Item is one part of an Index: an integer, a slice, an ellipsis or a new axis. Make one with
// At, Span, SpanStep, From, Until, All, Ellipsis or NewAxis. The zero Item is All.
type Item struct {
	start, stop, step int
	kind              itemKind
	given             parts
}

type itemKind uint8

const (
	spanItem itemKind = iota
	atItem
	ellipsisItem
	newAxisItem
)

// parts says which of a slice's three numbers are given.
type parts uint8

const (
	hasStart parts = 1 << iota
	hasStop
	hasStep
)

// At picks element i of an axis, which disappears. A negative i counts from the end.
func At(i int) Item { return Item{kind: atItem, start: i} }

// Span is start:stop, with Python's meaning: a negative bound counts from the end, and bounds
// outside the axis are clamped to it.
func Span(start, stop int) Item {
	return Item{start: start, stop: stop, given: hasStart | hasStop}
}

// SpanStep is start:stop:step. The step may be negative but not 0, which is an error where the item
// is used.
func SpanStep(start, stop, step int) Item { return Span(start, stop).By(step) }

// From is start: .
func From(start int) Item { return Item{start: start, given: hasStart} }

// Until is :stop .
func Until(stop int) Item { return Item{stop: stop, given: hasStop} }

// All is ":", the whole axis.
func All() Item { return Item{} }

// Ellipsis is "...": as many All as it takes to give every axis an item. An index holds at most
// one; without it, missing items at the end are All.
func Ellipsis() Item { return Item{kind: ellipsisItem} }

// NewAxis is "newaxis", a new axis of size 1.
func NewAxis() Item { return Item{kind: newAxisItem} }

// By returns the slice with the given step: All().By(-1) is "::-1". Items other than slices have no
// step and are returned as they are.
func (it Item) By(step int) Item {
	if it.kind == spanItem {
		it.step, it.given = step, it.given|hasStep
	}
	return it
}

// String returns the index in the form that ParseIndex reads: "2, 1:9:2, ..., newaxis". The empty
// index is "()".
func (ix Index) String() string { return withoutBrackets(ix.syntax()) }

// withoutBrackets returns the text of what stands between brackets.
func withoutBrackets(n *syntax.Node) string {
	text := n.String()
	return text[1 : len(text)-1]
}

// String returns the item as NumPy writes it.
func (it Item) String() string { return Index{it}.String() }
