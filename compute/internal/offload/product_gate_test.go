package offload_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tstore/tstore/compute/internal/offload"
)

// A buffer is what a test knows of a tile on the device.
type buffer struct {
	sync.Mutex
	tile, panels, strips int
	stored               [16]bool // parts of the tile
}

// TestGate runs the chunks of products with several workers, which take them in order and are late
// at random: the panels of a tile come in order, then its strips, and then the next tile of the
// buffer.
func TestGate(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		panels, strips, buffers := 1+r.IntN(5), 1+r.IntN(5), 2+r.IntN(3)
		group, workers := 1+r.IntN(4), 1+r.IntN(5)
		units, done := 4, r.IntN(3)
		g := offload.NewGate(panels, strips, buffers, group, r.IntN(6), done*group)
		there := make([]buffer, buffers)
		for i := range there {
			there[i].tile = -1
		}

		var next, lasts atomic.Int64
		next.Store(int64(done * g.Unit()))
		var running sync.WaitGroup
		for w := range workers {
			late := rand.New(rand.NewPCG(seed, uint64(2+w)))
			running.Go(func() {
				for {
					chunk := int(next.Add(1) - 1)
					if chunk >= units*g.Unit() {
						return
					}
					tile, part := g.Place(chunk)
					if part >= panels+strips {
						t.Errorf("chunk %d is part %d of %d", chunk, part, panels+strips)
						g.Stop()
						return
					}
					for range late.IntN(20) {
						runtime.Gosched()
					}
					b := &there[tile%buffers]
					if part < panels {
						if err := g.WaitLaunch(tile, part); err != nil {
							t.Error(err)
						}
						b.launch(t, tile, part, strips)
						g.Launched(tile)
						continue
					}
					if err := g.WaitTile(tile); err != nil {
						t.Error(err)
					}
					b.store(t, tile, part, panels)
					if g.Stored(tile) {
						lasts.Add(1)
					}
				}
			})
		}
		running.Wait()
		if n := int(lasts.Load()); n != (units-done)*group {
			t.Errorf("seed %d: %d tiles were told to be done, want %d", seed, n, (units-done)*group)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// launch adds a panel to a tile.
func (b *buffer) launch(t *testing.T, tile, panel, strips int) {
	b.Lock()
	defer b.Unlock()
	if panel == 0 {
		if b.tile >= 0 && b.strips < strips {
			t.Errorf("tile %d begins when %d of %d strips of tile %d are stored", tile, b.strips, strips, b.tile)
		}
		b.tile, b.panels, b.strips, b.stored = tile, 0, 0, [16]bool{}
	}
	if b.tile != tile || b.panels != panel {
		t.Errorf("panel %d of tile %d is added to tile %d, which has %d", panel, tile, b.tile, b.panels)
	}
	b.panels++
}

// store stores a strip of a tile.
func (b *buffer) store(t *testing.T, tile, part, panels int) {
	b.Lock()
	defer b.Unlock()
	if b.tile != tile || b.panels != panels {
		t.Errorf("a strip of tile %d is stored of tile %d, which has %d panels of %d", tile, b.tile, b.panels, panels)
	}
	if b.stored[part] {
		t.Errorf("strip %d of tile %d is stored twice", part-panels, tile)
	}
	b.stored[part] = true
	b.strips++
}

// TestGateStops has chunks wait for what never comes.
func TestGateStops(t *testing.T) {
	g := offload.NewGate(2, 1, 1, 1, 0, 0)
	var group sync.WaitGroup
	for _, wait := range []func() error{
		func() error { return g.WaitLaunch(0, 1) }, func() error { return g.WaitLaunch(1, 0) }, func() error { return g.WaitTile(0) },
	} {
		group.Go(func() {
			if err := wait(); err == nil {
				t.Error("nothing stopped it")
			}
		})
	}
	g.Stop()
	group.Wait()
}
