package gemm

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/dtype"
)

// A tiled job multiplies large matrices. C is cut into tiles, one after another; each takes a phase
// for each run of k, in which chunks pack the panels of both operands and then multiply them,
// rectangle by rectangle. The panels of the next phase are packed while rectangles of the one
// before are still worked on.
type tiled struct {
	*product
	tileRows, tileCols   int
	downTiles, sideTiles int
	phases, first        int // how many there are, and the first one that is worked on
	perPack              int // panels of a chunk that packs
	packs, sums          int // chunks of a phase that pack, and that multiply
	rectRows, rectCols   int
	rectsAside           int

	gate   *gate
	panels [2]panels
	buffer []byte
	wide   target // sums of the tile, where C does not take them
}

// panels are the packed parts of both operands in a phase.
type panels struct{ a, b unsafe.Pointer }

// A phase is a tile of C and a run of k.
type phase struct {
	number     int
	matrix     int
	row, rows  int
	col, cols  int // in numbers
	run        int
	from, long int
}

// Sizes of tiles, in numbers, and of the part of a tile's panels of A that is to stay in the second
// cache.
const (
	maxTile  = 4096
	minTile  = 256
	partRows = 192
)

// minBuffers is the number of bytes that the panels of the smallest tiles take.
const minBuffers = 8 << 20

func newTiled(p *product) *tiled {
	t := &tiled{product: p}
	side := tileSide(p.run, p.size, p.final != nil || p.Spill, p.Buffers)
	t.tileRows, t.tileCols = roundUp(min(side, p.M), p.micro.rows), roundUp(min(side, p.cols), p.micro.cols)
	if rows, cols := p.Grain/grainRows, p.Grain%grainRows; t.fits(rows, p.micro.rows, p.M) && t.fits(cols, p.micro.cols, p.cols) {
		t.tileRows, t.tileCols = rows, cols
	}
	t.downTiles, t.sideTiles = ceil(p.M, t.tileRows), ceil(p.cols, t.tileCols)
	t.phases = p.count * t.downTiles * t.sideTiles * p.runs()

	t.perPack = max(1, packBytes/(p.run*p.micro.cols*p.size))
	t.packs = ceil(t.tileRows/p.micro.rows, t.perPack) + ceil(t.tileCols/p.micro.cols, t.perPack)
	t.rectangles()
	t.gate = newGate(t.sums)

	a, b := roundUp(t.tileRows*p.run*p.size, 64), roundUp(t.tileCols*p.run*p.size, 64)
	sums := 0
	if p.final != nil {
		sums = t.tileRows * t.tileCols * p.size
	}
	t.buffer = takeBuffer(2*(a+b) + sums)
	at := unsafe.Pointer(unsafe.SliceData(t.buffer))
	for i := range t.panels {
		t.panels[i] = panels{at, unsafe.Add(at, a)}
		at = unsafe.Add(at, a+b)
	}
	t.wide = target{at, t.tileCols * p.size, p.size}
	return t
}

// grainRows is the factor of a tile's rows in a grain, beside its columns.
const grainRows = 1 << 16

// fits reports whether tiles may have so many rows or columns.
func (t *tiled) fits(side, unit, all int) bool {
	return side > 0 && side%unit == 0 && side <= roundUp(min(maxTile, all), unit)
}

// Grain returns the size of tiles.
func (t *tiled) Grain() int { return t.tileRows*grainRows + t.tileCols }

// Unit is a tile.
func (t *tiled) Unit() int { return t.runs() * (t.packs + t.sums) }

// Skip has the first tiles count as done.
func (t *tiled) Skip(tiles int) {
	t.first = tiles * t.runs()
	for turn := range 2 {
		phases := (t.first + 1 - turn) / 2
		t.gate.packed[turn], t.gate.summed[turn] = phases*t.packs, phases*t.sums
	}
	for i := range t.gate.sums {
		t.gate.sums[i] = t.first
	}
}

// lead is the number of phases that a part is told before it is worked on.
const lead = 3

// packBytes is about the size of what a chunk packs.
const packBytes = 256 << 10

// tileSide returns the rows and columns of tiles whose buffers take no more than so many bytes, if
// they can.
func tileSide(run, size int, wide bool, bytes int64) int {
	side := maxTile
	for side > minTile && bufferBytes(side, side, run, size, wide) > max(bytes, minBuffers) {
		side -= minTile
	}
	return side
}

// bufferBytes returns what tiles of so many rows and columns take.
func bufferBytes(rows, cols, run, size int, wide bool) int64 {
	numbers := 2 * (rows + cols) * run
	if wide {
		numbers += rows * cols
	}
	return int64(numbers * size)
}

// TileSize returns the rows and columns of the tiles of a product of rows × cols results of type t
// that may take so many bytes, and the bytes of its buffers. spill is Spec.Spill: the tile in the
// file counts for the size of tiles only.
func TileSize(t dtype.Type, rows, cols int, buffers int64, spill bool) (down, aside int, bytes int64) {
	reg, parts := Register(t), RunLength(t)/RunElems(t)
	narrow := t.Size() < reg.Size()
	side := tileSide(RunLength(t), reg.Size(), narrow || spill, buffers)
	down, aside = min(side, rows), min(side, parts*cols)
	return down, aside / parts, bufferBytes(down, aside, RunLength(t), reg.Size(), narrow)
}

// rectangles cuts a tile into rectangles that take a few milliseconds at most. There are several
// for each worker.
func (t *tiled) rectangles() {
	work := t.tileRows * t.tileCols * min(t.run, t.deep)
	most := exec.ChunkSize(work, 1<<20, 3*t.micro.speed, t.Workers)
	t.rectRows = min(roundUp(partRows, t.micro.rows), t.tileRows)
	t.rectCols = roundUp(most/(t.rectRows*min(t.run, t.deep)), t.micro.cols)
	t.rectCols = min(max(t.rectCols, t.micro.cols), t.tileCols)
	t.rectsAside = ceil(t.tileCols, t.rectCols)
	t.sums = ceil(t.tileRows, t.rectRows) * t.rectsAside
}

// phase returns a phase by its number.
func (t *tiled) phase(number int) phase {
	runs := t.runs()
	f := phase{number: number, run: number % runs}
	f.from = f.run * t.run
	f.long = min(t.run, t.deep-f.from)
	tile := number / runs
	f.row = tile % t.downTiles * t.tileRows
	f.rows = min(t.tileRows, t.M-f.row)
	tile /= t.downTiles
	f.col = tile % t.sideTiles * t.tileCols
	f.cols = min(t.tileCols, t.cols-f.col)
	f.matrix = tile / t.sideTiles
	return f
}

// part returns a phase in elements.
func (t *tiled) part(f phase) Part {
	return Part{
		Batch: f.matrix, Row: f.row, Rows: f.rows, Col: f.col / t.parts, Cols: f.cols / t.parts,
		From: f.from / t.parts, Long: f.long / t.parts,
	}
}

// NumChunks implements exec.Job.
func (t *tiled) NumChunks() int { return t.phases * (t.packs + t.sums) }

// Stop implements exec.Stopper.
func (t *tiled) Stop() { t.gate.update(func() { t.gate.stopped.Store(true) }) }

// Close gives the memory of the job back.
func (t *tiled) Close() error {
	giveBuffer(t.buffer)
	return nil
}

// NewWorker implements exec.Job.
func (t *tiled) NewWorker() exec.Worker {
	room := newBuffer(t.scratch() + tileBytes)
	return &tiledWorker{tiled: t, room: unsafe.Add(unsafe.Pointer(unsafe.SliceData(room)), tileBytes), tile: unsafe.Pointer(unsafe.SliceData(room))}
}

// tileBytes is enough for the largest tile of a micro-kernel.
const tileBytes = 4096

// A tiledWorker is the memory of one goroutine.
type tiledWorker struct {
	*tiled
	room, tile unsafe.Pointer
}

// Run implements exec.Worker.
func (w *tiledWorker) Run(chunk int) error {
	perPhase := w.packs + w.sums
	f := w.phase(chunk / perPhase)
	if chunk %= perPhase; chunk < w.packs {
		return w.pack(f, chunk)
	}
	return w.multiply(f, chunk-w.packs)
}

// pack packs some panels of a phase, when the phase before last is done with those that were there.
func (w *tiledWorker) pack(f phase, chunk int) error {
	turn, round := f.number%2, f.number/2
	if err := w.gate.wait(func() bool { return w.gate.summed[turn] >= round*w.sums }); err != nil {
		return err
	}

	if chunk == 0 && w.Next != nil {
		w.tellAhead(f.number)
	}

	// The first chunks pack panels of A, the rest panels of B. A phase at the edge has fewer panels
	// than chunks.
	to := &w.panels[turn]
	if chunksA := ceil(w.tileRows/w.micro.rows, w.perPack); chunk < chunksA {
		first := chunk * w.perPack * w.micro.rows
		if n := min(w.perPack*w.micro.rows, f.rows-first); n > 0 {
			w.packA(unsafe.Add(to.a, first*f.long*w.size), w.A.matrix(w.Batch, f.matrix), f.row+first, n, f.from, f.long, w.room)
		}
	} else {
		first := (chunk - chunksA) * w.perPack * w.micro.cols
		if n := min(w.perPack*w.micro.cols, f.cols-first); n > 0 {
			w.packB(unsafe.Add(to.b, first*f.long*w.size), w.B.matrix(w.Batch, f.matrix), f.col+first, n, f.from, f.long, w.room)
		}
	}

	w.gate.update(func() { w.gate.packed[turn]++ })
	return nil
}

// tellAhead says which part comes some phases after one, and at the beginning which is the first.
func (w *tiledWorker) tellAhead(number int) {
	if number == w.first {
		w.Next(w.part(w.phase(number)))
	}
	w.Next(w.part(w.phase(min(number+lead, w.phases-1))))
}

// multiply adds the products of a phase to a rectangle of its tile, when its panels are packed and
// the phase before is done with the rectangle.
func (w *tiledWorker) multiply(f phase, rect int) error {
	turn, round := f.number%2, f.number/2
	g := w.gate
	if err := g.wait(func() bool { return g.packed[turn] >= (round+1)*w.packs && g.sums[rect] >= f.number }); err != nil {
		return err
	}

	row, col := rect/w.rectsAside*w.rectRows, rect%w.rectsAside*w.rectCols
	if rows, cols := min(w.rectRows, f.rows-row), min(w.rectCols, f.cols-col); rows > 0 && cols > 0 {
		w.rectangle(f, row, rows, col, cols)
	}

	if g.stopped.Load() {
		return errStopped // perhaps in the middle
	}

	last := false
	// The next phase waits for this rectangle. The packing of the phase after that waits for all
	// rectangles, because it reuses the panels.
	g.update(func() {
		g.sums[rect] = f.number + 1
		g.summed[turn]++
		last = g.summed[turn] == (round+1)*w.sums
	})

	if last && w.Last != nil && f.run == w.runs()-1 {
		w.Last(w.part(f))
	}
	return nil
}

// rectangle multiplies for rows and columns of the tile of a phase.
func (w *tiledWorker) rectangle(f phase, row, rows, col, cols int) {
	from := &w.panels[f.number%2]
	a, b := unsafe.Add(from.a, row*f.long*w.size), unsafe.Add(from.b, col*f.long*w.size)
	c := unsafe.Add(w.C.matrix(w.Batch, f.matrix), (f.row+row)*w.C.Row+(f.col+col)/w.parts*w.C.Type.Size())
	to := target{c, w.C.Row, w.size}

	if w.final != nil {
		to = w.tiled.wide
		to.at = unsafe.Add(to.at, row*to.stride+col*to.size)
	}

	// Look at stopped after each column of tiles, so that a cancellation waits for one column at
	// most.
	side := w.micro.cols
	for j := 0; j < cols && !w.gate.stopped.Load(); j += side {
		part := target{unsafe.Add(to.at, j*to.size), to.stride, to.size}
		w.micro.multiply(part, a, unsafe.Add(b, j*f.long*w.size), rows, min(side, cols-j), f.long, f.run, w.reg, w.tile)
	}

	if w.final != nil && f.run == w.runs()-1 {
		w.finish(to, c, rows, cols)
	}
}
