package compute_test

import (
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/testdir"
	"github.com/tstore/tstore/mmapstore"
)

// TestScratchIsWrittenBack checks that what is kept between passes in files without a name does not
// stay in memory, waiting to be written, when the pass is larger than the memory limit.
func TestScratchIsWrittenBack(t *testing.T) {
	const n = 1 << 23
	env := names{"a": array(t, make([]float32, 2*n), 2, n)}.env()
	for _, text := range []string{"sum(a, axis=0).sum()", "cumsum(a, axis=0).sum()", "cumsum(a, axis=1).sum()"} {
		t.Run(text, func(t *testing.T) {
			var kept *mmapstore.Storage
			o := &compute.Options{MemoryLimit: 1 << 20, Scratch: func(size int64) (*mmapstore.Storage, error) {
				st, err := mmapstore.WithAllocator(mmapstore.File{Dir: testdir.OnDisk(t)}, size)
				if size >= 4*n {
					kept = st
				}
				return st, err
			}}
			p := newPlan(t, text, env, o)
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, dirty, known := kept.Cached(0, kept.Size())
			if err := kept.WaitWriteback(0, kept.Size()); err != nil {
				t.Fatal(err)
			}
			if _, stays, _ := kept.Cached(0, kept.Size()); !known || stays > 0 {
				t.Skip("the system does not tell what waits to be written, or the files are in memory")
			}
			if dirty > kept.Size()/4 {
				t.Errorf("%d of %d bytes wait to be written", dirty, kept.Size())
			}
		})
	}
}
