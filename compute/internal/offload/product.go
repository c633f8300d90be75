package offload

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
)

// A Product multiplies matrices, tile by tile of C. It is a gemm.Job.
type Product struct {
	cutting
	ctx      context.Context
	engine   *Engine
	spec     gemm.Spec
	operands *gemm.Panels
	code     *code
	movers   map[mover]*code // of operands on the device
	home     device.Queue    // whose memory on the device has the tiles
	memory   uint64
	gate     *gate
	crew
	news struct {
		sync.Mutex
		told int // panels that Spec.Next was told
	}
}

// NewProduct returns a product, of at least one product of numbers, which ends with ctx. Results
// have the bits of gemm.New. Spec.Workers makes no difference, and Spec.Buffers bounds the pages of
// mapped operands that are needed at once. NewProduct returns a *device.MemoryError if there is not
// enough memory for the smallest tiles.
func (e *Engine) NewProduct(ctx context.Context, s gemm.Spec) (*Product, error) {
	operands := gemm.NewPanels(s)
	p := &Product{ctx: ctx, engine: e, spec: s, operands: operands, cutting: newCutting(operands)}
	var err error
	if p.code, err = e.product(operands.Type()); err != nil {
		return nil, err
	}
	if err := p.prepareMoves(); err != nil {
		return nil, err
	}

	if err := p.settle(); err != nil {
		return nil, err
	}
	p.gate = newGate(&p.cutting, 0)
	return p, nil
}

// settle chooses the tiles, and takes what they need of the device: those of another run if they
// fit, else the largest ones that do.
func (p *Product) settle() error {
	e := p.engine
	if rows, cols, ok := p.sidesOf(p.spec.Grain); ok {
		err := p.equip(e.slots, rows, cols)
		if _, full := errors.AsType[*device.MemoryError](err); !full {
			return err
		}
	}
	return e.fit(e.slots, p.edge(), leastEdge, func(slots, edge int) error {
		rows, cols := p.sides(edge)
		return p.equip(slots, rows, cols)
	})
}

// product returns the code for products of numbers of a type.
func (e *Engine) product(t dtype.Type) (*code, error) {
	const copiesMajor = 8 // the compute capability from which on cp.async is there
	key := "product of " + t.String()
	if c := e.codes[key]; c != nil {
		return c, nil
	}
	module, err := e.device.Compile(ptx.ProductText(t, e.device.Info().Major >= copiesMajor))
	if err != nil {
		return nil, fmt.Errorf("compile products of %v for %v: %w", t, e.Place(), err)
	}
	e.codes[key] = &code{module: module}
	return e.codes[key], nil
}

// ExplainProduct says what computes products of numbers of a type.
func (e *Engine) ExplainProduct(t dtype.Type) string {
	rows, cols := ptx.Tile(t)
	return fmt.Sprintf("GPU code for %v, tiles of %d × %d a block", e.Place(), rows, cols)
}

// edge returns the most rows and columns of tiles for which the device has room. A row of a mapped
// operand may have a page of its own, which is to be in memory from when it is read ahead until all
// of it is packed.
func (p *Product) edge() int {
	e := p.engine
	most := min(p.spec.Buffers/(2*2*pageBytes), mostEdge)
	for edge := max(int(most), leastEdge); ; edge = max((edge-edge/8)/leastEdge*leastEdge, leastEdge) {
		rows, cols := p.sides(edge)
		p.set(rows, cols, e.slots, e.staging/int64(e.slots))
		if edge == leastEdge || p.bytes(min(e.slots, p.busy())) <= e.device.Info().LimitBytes {
			return edge
		}
	}
}

// equip takes what the product needs of the device with tiles of some rows and columns. What is idle
// there may be in the way.
func (p *Product) equip(slots, rows, cols int) error {
	e := p.engine
	p.set(rows, cols, slots, e.staging/int64(slots))
	slots = min(slots, p.busy())
	if err := e.checkStaging(slots, p.room()); err != nil {
		return err
	}
	held := len(e.idle) > 0
	err := p.take(slots)
	if _, full := errors.AsType[*device.MemoryError](err); full && held {
		if err := e.drop(); err != nil {
			return err
		}
		return p.take(slots)
	}
	return err
}

// take takes slots, and memory for the tiles.
func (p *Product) take(slots int) (err error) {
	e := p.engine
	taken, err := e.take(slots, p.room())
	if err != nil {
		return err
	}
	p.begin(taken)
	if p.home, err = e.device.NewQueue(); err == nil {
		p.memory, err = p.home.Memory(int64(p.buffers) * int64(p.tileBytes()))
	}
	if err != nil {
		return errors.Join(err, p.Close())
	}
	return nil
}

// ownGrain is in the grain of each product, and in none of package gemm.
const (
	ownGrain  = 1 << 40
	grainRows = 1 << 20
)

// Grain returns the size of tiles.
func (p *Product) Grain() int { return ownGrain + p.rows*grainRows + p.cols }

// sidesOf returns the rows and columns of tiles that a grain says, if this product can have them.
func (p *Product) sidesOf(grain int) (rows, cols int, ok bool) {
	rows, cols = grain%ownGrain/grainRows, grain%grainRows
	fits := func(side, unit int) bool { return 0 < side && side <= mostEdge && side%unit == 0 }
	return rows, cols, grain/ownGrain == 1 && fits(rows, p.unitRows) && fits(cols, p.unitCols)
}

// NumChunks implements exec.Job.
func (p *Product) NumChunks() int { return ceil(p.tiles(), p.group) * p.unit() }

// Unit is a few tiles.
func (p *Product) Unit() int { return p.unit() }

// Skip has the tiles of the first units count as done.
func (p *Product) Skip(units int) {
	tiles := min(units*p.group, p.tiles())
	p.gate, p.news.told = newGate(&p.cutting, tiles), tiles*p.panels
}

// Stop implements exec.Stopper.
func (p *Product) Stop() { p.gate.stop() }

// NewWorker implements exec.Job. At most Workers of them may be there at once.
func (p *Product) NewWorker() exec.Worker {
	return &productWorker{Product: p, slot: p.hire(), packer: p.operands.NewPacker()}
}

// Close gives the slots and the memory of the tiles back.
func (p *Product) Close() error {
	err := p.engine.give(p.slots)
	if p.home != nil {
		err = errors.Join(err, unlessLost(p.home.Close()))
	}
	p.begin(nil)
	p.home = nil
	return p.engine.atEnd(err)
}

// TellingSpan is the number of panels at most that a product announces after one that is certainly
// packed: each worker packs one, and as many come after those.
func (e *Engine) TellingSpan() int { return 2 * e.slots }

// tell announces the panels up to as many behind one as there are workers.
func (p *Product) tell(panel int) {
	if p.spec.Next == nil {
		return
	}
	p.news.Lock()
	defer p.news.Unlock()
	end := min(panel+len(p.slots)+1, p.tiles()*p.panels) // behind the last
	for ; p.news.told < end; p.news.told++ {
		p.spec.Next(p.operands.Elements(p.panel(p.news.told)))
	}
}
