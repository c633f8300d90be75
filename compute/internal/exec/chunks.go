package exec

// StreamBytes is the size from which on results are written past the caches: half of a large
// last-level cache.
const StreamBytes = 16 << 20

// Chunks are as large as these many bytes of all operands together: large enough that handing them
// out costs nothing, small enough that all workers end at about the same time.
const (
	MinChunkBytes   = 128 << 10
	maxChunkBytes   = 8 << 20
	chunksPerWorker = 8
)

// ChunkSize returns the part of all that a chunk has: several chunks for each worker, so that all
// end at about the same time, but of least at least, and of most at most. Its unit is the caller's.
// All jobs whose chunks depend on the number of workers take their size from here. Where the result
// depends on how elements are cut, chunks must not depend on it.
func ChunkSize(all, least, most, workers int) int {
	return min(max(all/(chunksPerWorker*max(workers, 1)), least), most)
}

// ChunkElems returns the elements of a chunk of a job that touches so many bytes for all elems.
func ChunkElems(bytes int64, elems, workers int) int {
	perElem := max(1, int(bytes/int64(max(elems, 1))))
	return max(1, ChunkSize(int(bytes), MinChunkBytes, maxChunkBytes, workers)/perElem)
}

// Chunks returns a job of n chunks, whose workers are functions.
func Chunks(n int, newWorker func() func(chunk int) error) Job { return chunks{n, newWorker} }

type chunks struct {
	n         int
	newWorker func() func(chunk int) error
}

// NumChunks implements Job.
func (c chunks) NumChunks() int { return c.n }

// NewWorker implements Job.
func (c chunks) NewWorker() Worker { return workFunc(c.newWorker()) }

type workFunc func(chunk int) error

// Run implements Worker.
func (f workFunc) Run(chunk int) error { return f(chunk) }
