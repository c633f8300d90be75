package order

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/internal/transpose"
)

const (
	maxRow  = 512 // items of a row up to which rows are sorted side by side
	fewRows = 4   // of how many that could be one is sorted by itself
)

// A RowSorter sorts rows of items, one after another in memory. It belongs to one goroutine.
//
// Short rows become the columns of a matrix, which a network sorts all at once; longer ones, or few
// of them, are sorted by SortFirst.
type RowSorter[E Item] struct {
	length, first int
	low           uint
	room          []E
	lanes         int // rows that are sorted at once, 0 for none
	network       *kernel.Network
}

// NewRowSorter returns a sorter of at least rows rows of length items each. It sorts by the bits
// from low on, and the first items are wanted. Items that agree in these bits come in the order of
// the lower bits.
func NewRowSorter[E Item](rows, length, first int, low uint) *RowSorter[E] {
	s := &RowSorter[E]{length: length, first: first, low: low}
	size := ItemBytes[E]()
	if size <= 8 && length <= maxRow {
		s.lanes = kernel.NetworkLanes(size)
	}
	if rows > s.lanes/fewRows && s.lanes > 0 {
		s.network = kernel.NewNetwork(size, length)
	} else {
		s.lanes = 0
	}
	s.room = s.Items()
	return s
}

// Together returns the number of rows that are sorted at once.
func (s *RowSorter[E]) Together() int { return max(1, s.lanes) }

// Items returns memory for the items of as many rows.
func (s *RowSorter[E]) Items() []E { return alignedItems[E](s.Together() * s.length) }

// Sort sorts some rows, or at least puts the items that are wanted first. items has room for all
// rows that are sorted at once; what is in those beyond is changed.
func (s *RowSorter[E]) Sort(items []E, rows int) {
	if s.lanes > 0 && rows > s.lanes/fewRows {
		s.sideBySide(items)
		return
	}
	for row := range rows {
		SortFirst(items[row*s.length:(row+1)*s.length], s.room[:s.length], s.first, s.low)
	}
}

// sideBySide sorts as many rows as the network has lanes.
func (s *RowSorter[E]) sideBySide(items []E) {
	size := ItemBytes[E]()
	rows, columns := unsafe.Pointer(unsafe.SliceData(items)), unsafe.Pointer(unsafe.SliceData(s.room))
	transpose.Block(columns, rows, s.lanes, s.length, s.lanes*size, s.length*size, size)
	s.network.Sort(columns)
	transpose.Block(rows, columns, s.length, s.lanes, s.length*size, s.lanes*size, size)
}

// alignedItems returns room for n items from a boundary of 64 bytes on.
func alignedItems[E Item](n int) []E {
	size := ItemBytes[E]()
	items := make([]E, n+64/size)
	past := int(uintptr(unsafe.Pointer(unsafe.SliceData(items))) % 64)
	return items[(64-past)%64/size:][:n]
}
