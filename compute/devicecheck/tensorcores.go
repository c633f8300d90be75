package devicecheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/dtype"
)

// mmaText is a module that multiplies matrices of 8 × 4 and 4 × 8 float64s on tensor cores, and adds
// the product to one of 8 × 8: one for each block, which is a warp. All lie in rows, but for the
// second, which lies in columns.
const mmaText = `.version 7.0
.target sm_80
.address_size 64

.visible .entry mma(.param .b64 a, .param .b64 b, .param .b64 c)
.maxntid 32
{
	.reg .b32 %t, %n;
	.reg .b64 %a, %b, %c, %at;
	.reg .f64 %x, %y, %d<4>;
	ld.param.b64 %a, [a];
	ld.param.b64 %b, [b];
	ld.param.b64 %c, [c];
	mov.u32 %t, %tid.x;
	mov.u32 %n, %ctaid.x;
	mad.lo.u32 %t, %n, 32, %t;
	mul.wide.u32 %at, %t, 8;
	add.u64 %a, %a, %at;
	add.u64 %b, %b, %at;
	mul.wide.u32 %at, %t, 16;
	add.u64 %c, %c, %at;
	ld.global.f64 %x, [%a];
	ld.global.f64 %y, [%b];
	ld.global.v2.f64 {%d0, %d1}, [%c];
	mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d2, %d3}, {%x}, {%y}, {%d0, %d1};
	st.global.v2.f64 [%c], {%d2, %d3};
	ret;
}
`

// tensorCores looks whether products of float64 on tensor cores have the bits of a chain of fused
// multiplications and additions. It is a question, and no answer to it is wrong.
func (c *check) tensorCores() error {
	f := Figure{Name: "float64 on tensor cores, as a chain of FMA", Unit: "equal"}
	skip := func(why string) error {
		f.Verdict, f.Note = Skipped, why
		c.Report(f)
		return nil
	}
	if c.info.Major < 8 {
		return skip("the device has no tensor cores for float64")
	}

	return c.queue(func(q *queue) error {
		m, err := c.device.Compile(mmaText)
		if err != nil {
			return skip(err.Error())
		}
		q.modules = append(q.modules, m)

		warps := c.scaled(1<<15, 1)
		a, b, sum := c.numbers(32*warps, 1), c.numbers(32*warps, 2), c.numbers(64*warps, 3)
		got, err := q.multiply(m, warps, a, b, sum)
		if err != nil {
			return err
		}
		up, down := 0, 0
		for i, v := range got {
			warp, row, col := i/64, i%64/8, i%8
			x, y := a[32*warp+4*row:][:4], b[32*warp+4*col:][:4]
			if chain(x, y, sum[i]) == v {
				up++
			}
			slices.Reverse(x)
			slices.Reverse(y)
			if chain(x, y, sum[i]) == v {
				down++
			}
			slices.Reverse(x)
			slices.Reverse(y)
		}
		f.Value, f.Limit, f.Note = float64(up), float64(len(got)), fmt.Sprintf("%d where the chain begins with the last product", down)
		c.Report(judged(f))
		return nil
	})
}

// chain returns c and products added to it, each fused, the first one first.
func chain(a, b []float64, c float64) float64 {
	for k := range a {
		c = math.FMA(a[k], b[k], c)
	}
	return c
}

// numbers returns n random numbers.
func (c *check) numbers(n, seed int) []float64 {
	b := c.floats(dtype.Float64, seed)
	all := make([]float64, n)
	for i := range all {
		all[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*(i%(len(b)/8)):]))
	}
	return all
}

// multiply runs the module of mmaText.
func (q *queue) multiply(m device.Module, warps int, a, b, sum []float64) ([]float64, error) {
	atA, err1 := q.put(bytesOf(a))
	atB, err2 := q.put(bytesOf(b))
	at, err3 := q.put(bytesOf(sum))
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	if err := q.Launch(m, line("mma", warps, 32, atA, atB, at)); err != nil {
		return nil, err
	}
	p, err := q.read(at, 8*len(sum))
	if err != nil {
		return nil, err
	}
	got := make([]float64, len(sum))
	copy(bytesOf(got), p)
	return got, nil
}
