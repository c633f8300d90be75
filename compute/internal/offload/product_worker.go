package offload

import (
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/ptx"
)

// A productWorker works on chunks of a Product in a slot.
type productWorker struct {
	*Product
	slot   *slot
	packer *gemm.Packer
}

// Run implements exec.Worker. The queue of the slot is idle while operands are packed and sums are
// stored: a fault on a mapped page finds it so.
func (w *productWorker) Run(chunk int) error {
	tile, part := w.place(chunk)
	switch {
	case tile >= w.tiles():
		return nil
	case part < w.panels:
		return w.add(tile, part)
	default:
		return w.store(tile, part-w.panels)
	}
}

// Release implements exec.Releaser. The slot is then another worker's.
func (w *productWorker) Release() { w.dismiss(w.slot) }

// perform has the queue do a step for a tile.
func (w *productWorker) perform(tile int, step func(device.Queue) error) error {
	if err := w.slot.perform(w.ctx, step); err != nil {
		return &Failure{fmt.Sprintf("tile %d of %d", tile+1, w.tiles()), err}
	}
	return nil
}

// add takes a panel of both operands to the device and, when it is its turn, adds the products to
// the tile.
func (w *productWorker) add(tile, panel int) error {
	number := tile*w.panels + panel
	w.tell(number)
	at := w.panel(number)
	if err := w.gather(tile, at); err != nil {
		return err
	}
	for from := 0; from < at.Long && (w.spec.A.Address == 0 || w.spec.B.Address == 0); from += w.depth {
		if w.gate.stopped.Load() {
			return errStopped
		}
		if err := w.upload(tile, at, from); err != nil {
			return err
		}
	}

	if err := w.gate.waitLaunch(tile, panel); err != nil {
		return err
	}
	if err := w.perform(tile, func(q device.Queue) error { return w.launch(q, tile, at) }); err != nil {
		return err
	}
	w.gate.launched(tile)
	return nil
}

// upload packs a piece of a panel, from some steps behind its first one on, and takes it to the
// device. The slot has the panel of A there, and behind it that of B. What lies on the device is
// there already.
func (w *productWorker) upload(tile int, at gemm.Part, from int) error {
	long := at.Long
	at.From, at.Long = at.From+from, min(w.depth, long-from)
	a, b := w.widths(at)
	a, b = a*w.size, b*w.size
	up := w.slot.up[:at.Long*(a+b)]
	packA, packB := w.spec.A.Address == 0, w.spec.B.Address == 0
	if packA {
		w.packer.PackA(up[:at.Long*a], at, a/w.size)
	}
	if packB {
		w.packer.PackB(up[at.Long*a:], at, b/w.size)
	}

	to := w.slot.memory
	return w.perform(tile, func(q device.Queue) error {
		if packA {
			if err := q.Upload(to+uint64(from*a), up[:at.Long*a]); err != nil {
				return err
			}
		}
		if !packB {
			return nil
		}
		return q.Upload(to+uint64(long*a+from*b), up[at.Long*a:])
	})
}

// launch adds the products of a panel to a tile. Its parameters are those of ptx.ProductText.
func (w *productWorker) launch(q device.Queue, tile int, at gemm.Part) error {
	a, b := w.widths(at)
	from := w.slot.memory
	return q.Launch(w.code.module, &device.Launch{
		Entry: ptx.ProductEntry, Grid: [3]int{b / w.unitCols, a / w.unitRows, 1}, Block: [3]int{ptx.ProductThreads, 1, 1},
		Params: []uint64{
			from, from + uint64(at.Long*a*w.size), w.buffer(tile),
			uint64(at.Rows), uint64(at.Cols), uint64(at.Long),
			uint64(a * w.size), uint64(b * w.size), uint64(at.Cols * w.size), uint64(min(at.From, 1)),
		},
	})
}

// buffer returns where a tile is on the device.
func (w *productWorker) buffer(tile int) uint64 {
	return w.memory + uint64(tile%w.buffers*w.tileBytes())
}

// store stores some rows of a tile when all products are there.
func (w *productWorker) store(tile, strip int) error {
	if err := w.gate.waitTile(tile); err != nil {
		return err
	}
	whole := w.tile(tile)
	at := whole
	at.Row, at.Rows = at.Row+strip*w.strip, min(w.strip, at.Rows-strip*w.strip)
	if at.Rows > 0 {
		if err := w.storeRows(tile, at, w.buffer(tile)+uint64(strip*w.strip*at.Cols*w.size)); err != nil {
			return err
		}
	}

	if w.gate.stored(tile) && w.spec.Last != nil {
		w.spec.Last(w.packer.Elements(whole))
	}
	return nil
}

// storeRows stores some rows of a tile, whose sums are at an address: where C is.
func (w *productWorker) storeRows(tile int, at gemm.Part, from uint64) error {
	for _, c := range []*gemm.Operand{&w.spec.Also, &w.spec.C} {
		if c.Address == 0 {
			continue
		}
		if err := w.perform(tile, func(q device.Queue) error { return w.move(q, w.operands.MoveStore(c, at, from)) }); err != nil {
			return err
		}
	}
	if w.spec.C.Address != 0 {
		return nil
	}
	sums := w.slot.down[:at.Rows*at.Cols*w.size]
	if err := w.perform(tile, func(q device.Queue) error { return q.Download(sums, from) }); err != nil {
		return err
	}
	if err := w.check(at, sums); err != nil {
		return err
	}
	w.packer.Store(at, sums)
	return nil
}
