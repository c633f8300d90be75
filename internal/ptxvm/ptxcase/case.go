package ptxcase

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tstore/tstore/internal/ptxvm"
)

// Entry is the name of the entry of each module. Its parameters are the addresses of the operands
// and of the results.
const Entry = "k"

// BlockThreads is the number of threads of a block. Each takes a row.
const BlockThreads = 64

// A Case is an instruction, and what it is run on.
type Case struct {
	ptxvm.Instruction
	Text  string
	Rows  int    // a multiple of BlockThreads
	In    []byte // the operands of all rows
	Bytes int    // of the results
}

// All returns the cases of all instructions, which are the same each time.
func All() (all []*Case) {
	for i, instruction := range ptxvm.Instructions() {
		all = append(all, newCase(instruction, rand.New(rand.NewPCG(1, uint64(i)))))
	}
	return all
}

func newCase(i ptxvm.Instruction, r *rand.Rand) *Case {
	c := &Case{Instruction: i}
	var words []uint64
	switch i.Form {
	case ptxvm.Computes:
		c.Text = c.compute()
		words = c.rows(r)
		c.Rows = len(words) / len(i.Operands)
		c.Bytes = 8 * c.Rows
	case ptxvm.Loads:
		words = randomWords(r, 2*BlockThreads)
		c.Rows = BlockThreads
		c.Text = c.load(words)
		c.Bytes = 8 * i.Elems * c.Rows
	case ptxvm.Stores:
		words = randomWords(r, i.Elems*BlockThreads)
		c.Rows = BlockThreads
		c.Text = c.store()
		c.Bytes = 16 * c.Rows
	}
	for _, w := range words {
		c.In = binary.LittleEndian.AppendUint64(c.In, w)
	}
	return c
}

// Grid is that of the launch.
func (c *Case) Grid() [3]int { return [3]int{c.Rows / BlockThreads, 1, 1} }

// Block is that of the launch.
func (c *Case) Block() [3]int { return [3]int{BlockThreads, 1, 1} }

// Interpret returns what package ptxvm computes.
func (c *Case) Interpret(ctx context.Context) ([]byte, error) {
	var d ptxvm.Device
	m, err := d.Load(c.Text)
	if err != nil {
		return nil, err
	}
	in, err := d.Alloc(len(c.In))
	if err != nil {
		return nil, err
	}
	if err := in.Write(0, c.In); err != nil {
		return nil, err
	}
	out, err := d.Alloc(c.Bytes)
	if err != nil {
		return nil, err
	}

	l := &ptxvm.Launch{Grid: c.Grid(), Block: c.Block(), Params: []uint64{in.Address(), out.Address()}}
	if err := m.Launch(ctx, Entry, l); err != nil {
		return nil, err
	}
	results := make([]byte, c.Bytes)
	return results, out.Read(0, results)
}

// Compare returns where results differ: all NaNs are one.
func (c *Case) Compare(got, want []byte) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d bytes, want %d", c.Name, len(got), len(want))
	}
	for at := 0; at < len(want); at += 8 {
		g, w := binary.LittleEndian.Uint64(got[at:]), binary.LittleEndian.Uint64(want[at:])
		if g == w || c.Form == ptxvm.Computes && isNaN(c.Result, g) && isNaN(c.Result, w) {
			continue
		}
		row := at / (len(want) / c.Rows)
		size := len(c.In) / c.Rows
		var operands []uint64
		for k := row * size; k < (row+1)*size; k += 8 {
			operands = append(operands, binary.LittleEndian.Uint64(c.In[k:]))
		}
		return fmt.Errorf("%s of %#x is %#x, want %#x", c.Name, operands, g, w)
	}
	return nil
}

// isNaN reports whether the bits of a type are those of a NaN.
func isNaN(typ string, v uint64) bool {
	switch typ {
	case "f16":
		return v&0x7fff > 0x7c00
	case "f32":
		x := math.Float32frombits(uint32(v))
		return x != x
	case "f64":
		return math.IsNaN(math.Float64frombits(v))
	}
	return false
}
