package view

// A Fancy is an index with arrays of indexes and masks beside the items of basic indexing: NumPy's
// advanced indexing. The elements it picks have no common strides, so Gather and Scatter copy them.
//
// The arrays are broadcast against each other, and each of their elements picks one part of the
// tensor. In the result, the axes of the broadcast shape stand where the arrays stood in the index.
// They come first if slices, new axes or an ellipsis separate the arrays. Integers beside arrays
// count as arrays here. A mask stands for as many axes as it has, and picks where it is true.
type Fancy []FancyItem

// A FancyItem is one part of a Fancy. Make one with Basic, IntArray, Ints or BoolArray; the zero
// FancyItem is a whole axis.
type FancyItem struct {
	basic Item
	kind  fancyKind
	name  string // what String writes for t, where it has a name

	// The elements of the array: of a tensor, or literal ones in C order.
	t      *Tensor
	values []int // of a mask, 0 or 1
	shape  []int // of values
}

type fancyKind uint8

const (
	basicItem fancyKind = iota
	intArray
	boolArray
	namedArray // one whose tensor has not been looked up
)

// Basic returns an item of basic indexing: an integer, a slice, an ellipsis or a new axis.
func Basic(it Item) FancyItem { return FancyItem{basic: it} }

// IntArray picks the elements of an axis that t lists, whose type is an integer one. A negative
// index counts from the end. t is borrowed: it is read each time the item is used.
func IntArray(t *Tensor) FancyItem { return FancyItem{kind: intArray, t: t} }

// Ints is IntArray for a list. It keeps the slice.
func Ints(indexes ...int) FancyItem {
	return FancyItem{kind: intArray, values: indexes, shape: []int{len(indexes)}}
}

// BoolArray picks the elements for which t is true. t is of type bool and has the shape of the axes
// it stands for; without axes it makes an axis of size 1 or 0. t is borrowed: it is read each time
// the item is used.
func BoolArray(t *Tensor) FancyItem { return FancyItem{kind: boolArray, t: t} }

// Index returns f as a basic index, if it is one.
func (f Fancy) Index() (Index, bool) {
	ix := make(Index, len(f))
	for i := range f {
		if f[i].kind != basicItem {
			return nil, false
		}
		ix[i] = f[i].basic
	}
	return ix, true
}

// String returns the index in the form that ParseFancy reads. A tensor that was not looked up by a
// name is written as its type and shape in angle brackets, which ParseFancy refuses.
func (f Fancy) String() string { return withoutBrackets(f.syntax()) }

// String returns the item as NumPy writes it.
func (it FancyItem) String() string { return Fancy{it}.String() }
