package pass

import (
	"sync"

	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/mmapstore"
)

// aheadLong is the number of steps along k that are read ahead at a time from files. Pieces of rows
// then take several pages, and the system's cache still keeps them until they are used.
const aheadLong = 2048

// leastLong is the least number of steps along k that are read ahead at a time: runs along k are
// not shorter than a page then.
const leastLong = 1024

// A matrixFile is an operand of a product that lies in a mapped file.
type matrixFile struct {
	gemm.Operand
	storage *mmapstore.Storage
	start   int   // byte of the storage where element (0, 0) of the first matrix is
	sizes   []int // of the batch
	runs    runFile
}

// A productStream follows a product through mapped files. One goroutine reads ahead what the next
// phases pack, and another one writes back finished tiles, so that few workers wait for the disk.
type productStream struct {
	a, b, c *matrixFile // nil where they are no mapped files; c also where the result is small
	long    int         // elements of a run of k
	memory  int64       // that what is read ahead may take; 0 for what fits
	span    int         // the number of parts announced after one that is certainly packed
	next    chan gemm.Part
	last    chan gemm.Part
	ended   sync.WaitGroup

	tile   gemm.Part   // that is read ahead
	until  int         // up to which k
	behind []gemm.Part // the last ones that were told, of which the first may be packed now
	err    error       // of writing back
}

// startProductStream starts to follow a product. memory is the number of bytes that may be read
// ahead at a time, or 0 if everything fits. span is the number of parts that are announced after one
// that is certainly packed.
func startProductStream(a, b, c *matrixFile, long int, memory int64, span int) *productStream {
	s := &productStream{a: a, b: b, c: c, long: long, memory: memory, span: span, next: make(chan gemm.Part, 1), last: make(chan gemm.Part)}
	if memory > 0 {
		s.advise(mmapstore.Random) // what lies around a run is used much later
	}
	s.ended.Go(func() {
		for p := range s.next {
			s.read(p)
		}
	})
	s.ended.Go(s.writeBack)
	return s
}

// tellingSpan is the span of gemm, which announces three parts ahead and packs two.
const tellingSpan = 5

// ahead asks for what a part packs, unless the goroutine is busy: it is asked again for the next
// part. What earlier parts have packed of runs is dropped, for the system would choose other pages.
func (s *productStream) ahead(p gemm.Part) {
	if s.behind = append(s.behind, p); len(s.behind) > s.span {
		old := s.behind[0]
		s.behind = append(s.behind[:0], s.behind[1:]...)
		s.eachRun(old, old.From, old.From+old.Long, mmapstore.DontNeed)
	}
	select {
	case s.next <- p:
	default:
	}
}

// done says that the elements of a part are final. It waits until those of the part before the last
// are written back.
func (s *productStream) done(p gemm.Part) {
	if s.c != nil {
		s.last <- p
	}
}

// close ends the goroutines and returns the error of writing back. No worker is left then.
func (s *productStream) close() error {
	close(s.next)
	close(s.last)
	s.ended.Wait()
	if s.memory > 0 {
		s.advise(mmapstore.Normal)
	}
	return s.err
}

// advise gives a hint for all files.
func (s *productStream) advise(a mmapstore.Advice) {
	for _, f := range []*matrixFile{s.a, s.b, s.c} {
		if f != nil {
			_ = f.storage.Advise(0, -1, a)
		}
		if f != nil && f.runs.storage != nil {
			_ = f.runs.storage.Advise(0, -1, a)
		}
	}
}

// stretch returns how many steps along k are read ahead at a time for a part. A matrix that lies in
// runs takes one run.
func (s *productStream) stretch(p gemm.Part) int {
	step, inRuns := 0, false
	for f, across := range map[*matrixFile]int{s.a: p.Rows, s.b: p.Cols} {
		switch {
		case f == nil:
		case f.runs.storage != nil:
			inRuns = true
		default:
			step += across * f.Type.Size()
		}
	}

	switch {
	case step == 0 && inRuns:
		return s.long
	case s.memory == 0 || step == 0:
		return aheadLong
	}
	return min(max(int(s.memory)/step, leastLong), aheadLong)
}

// writeBack starts to write each finished part. Meanwhile it waits until the part before is
// written, and drops that part from memory.
func (s *productStream) writeBack() {
	var behind *gemm.Part
	for p := range s.last {
		s.write(p, (*mmapstore.Storage).StartWriteback)
		if behind != nil {
			s.write(*behind, (*mmapstore.Storage).WaitWriteback)
			s.write(*behind, drop)
		}
		behind = &p
	}
}

// read prefetches the operand panels of part p and of the parts after it. It ignores errors: the
// code that uses the bytes reports them.
func (s *productStream) read(p gemm.Part) {
	from, tile := p.From, p
	tile.From, tile.Long = 0, 0
	if tile == s.tile {
		from = max(from, s.until)
	}
	if p.From+p.Long <= from {
		return
	}
	until := max(p.From+p.Long, from+s.stretch(p))
	s.tile, s.until = tile, (until+s.long-1)/s.long*s.long
	if s.memory > 0 {
		s.adviseRange(p, from, mmapstore.WillNeed) // all at once, which the disk serves faster than one by one
	}
	s.adviseRange(p, from, mmapstore.PopulateRead)
}

// adviseRange gives advice on what a part packs from a step along k on, up to where is read.
func (s *productStream) adviseRange(p gemm.Part, from int, a mmapstore.Advice) {
	fn := func(st *mmapstore.Storage, off, n int64) bool { return st.Advise(off, n, a) == nil }
	fromA, fromB := s.eachRun(p, from, s.until, a)
	if s.a != nil && fromA < s.until {
		s.a.pieces(p.Batch, p.Row, p.Rows, fromA, s.until-fromA, fn)
	}
	if s.b != nil && fromB < s.until {
		s.b.pieces(p.Batch, fromB, s.until-fromB, p.Col, p.Cols, fn)
	}
}

// eachRun gives advice on the runs of a part in a range of k, and returns from where on the
// operands are read as they are.
func (s *productStream) eachRun(p gemm.Part, from, until int, a mmapstore.Advice) (fromA, fromB int) {
	fromA, fromB = from, from
	if s.a != nil {
		fromA = s.a.eachRun(p.Row, p.Rows, from, until, s.long, a)
	}
	if s.b != nil {
		fromB = s.b.eachRun(p.Col, p.Cols, from, until, s.long, a)
	}
	return fromA, fromB
}

// write calls a function of writing back with what a part stores.
func (s *productStream) write(p gemm.Part, fn func(st *mmapstore.Storage, off, n int64) error) {
	s.c.pieces(p.Batch, p.Row, p.Rows, p.Col, p.Cols, func(st *mmapstore.Storage, off, n int64) bool {
		if s.err == nil {
			s.err = fn(st, off, n)
		}
		return s.err == nil
	})
}

// pieces calls fn with each piece of the storage that holds a part of a matrix, until fn returns
// false.
func (f *matrixFile) pieces(batch, row, rows, col, cols int, fn func(st *mmapstore.Storage, off, n int64) bool) {
	at := f.start
	for axis := len(f.sizes) - 1; axis >= 0; axis-- {
		at += batch % f.sizes[axis] * f.Batch[axis]
		batch /= f.sizes[axis]
	}
	at += row*f.Row + col*f.Col

	// Walk the axis with the larger stride outside, so that pieces are long.
	outer, many, inner, few := f.Row, rows, f.Col, cols
	if max(outer, -outer) < max(inner, -inner) {
		outer, many, inner, few = inner, few, outer, many
	}

	// Count negative strides from the other end: offsets then ascend.
	if inner < 0 {
		at, inner = at+(few-1)*inner, -inner
	}
	if outer < 0 {
		at, outer = at+(many-1)*outer, -outer
	}

	long := (few-1)*inner + f.Type.Size()
	for done := 0; done < many; {
		n := 1
		if outer < long+pieceGap { // the gap is so small that reading across it is cheaper than two pieces
			n = min(many-done, max(1, maxPiece/max(outer, 1)))
		}

		off := int64(at + done*outer)
		end := min(off+int64((n-1)*outer+long), f.storage.Size())
		if off < end && !fn(f.storage, off, end-off) {
			return
		}
		done += n
	}
}

// Pieces that are less than pieceGap apart are one, of up to maxPiece.
const (
	pieceGap = 16 << 10
	maxPiece = 8 << 20
)
