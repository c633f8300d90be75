package ptxvm_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/internal/ptxvm"
)

// A program is the body of an entry that has the parameters in and out, which are addresses, and
// registers of all kinds. It runs on one block.
type program struct {
	target  int // 70 if it is 0
	globals string
	code    string
	threads int // 1 if it is 0
	shared  int
	in      []uint64
	out     int // words
}

const registers = `
	.reg .pred %p, %q;
	.reg .b16 %h0, %h1, %h2, %h3;
	.reg .b32 %r0, %r1, %r2, %r3, %tid;
	.reg .b64 %d0, %d1, %d2, %d3, %in, %out, %mine;
	.reg .f32 %f0, %f1, %f2, %f3;
	.reg .f64 %g0, %g1, %g2, %g3;
	ld.param.u64 %in, [in];
	ld.param.u64 %out, [out];
	mov.u32 %tid, %tid.x;
	mad.wide.u32 %mine, %tid, 8, %out;
`

func (p *program) text() string {
	return fmt.Sprintf(".version 7.0\n.target sm_%d\n.address_size 64\n%s\n.visible .entry k(.param .u64 in, .param .u64 out)\n{%s%s\n\tret;\n}\n",
		max(p.target, 70), p.globals, registers, p.code)
}

// run runs p and returns the words that it stored.
func (p *program) run() ([]uint64, error) {
	var d ptxvm.Device
	m, err := d.Load(p.text())
	if err != nil {
		return nil, err
	}
	in, err := d.Alloc(8 * len(p.in))
	if err != nil {
		return nil, err
	}
	out, err := d.Alloc(8 * p.out)
	if err != nil {
		return nil, err
	}
	words := make([]byte, 0, 8*len(p.in))
	for _, v := range p.in {
		words = binary.LittleEndian.AppendUint64(words, v)
	}
	if err := in.Write(0, words); err != nil {
		return nil, err
	}

	launch := &ptxvm.Launch{
		Grid: [3]int{1, 1, 1}, Block: [3]int{max(p.threads, 1), 1, 1},
		Shared: p.shared, Params: []uint64{in.Address(), out.Address()},
	}
	if err := m.Launch(context.Background(), "k", launch); err != nil {
		return nil, err
	}
	results := make([]byte, 8*p.out)
	if err := out.Read(0, results); err != nil {
		return nil, err
	}
	values := make([]uint64, p.out)
	for i := range values {
		values[i] = binary.LittleEndian.Uint64(results[8*i:])
	}
	return values, nil
}

// wantError checks that an error has a text in it.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got the error %v, want one with %q", err, want)
	}
}
