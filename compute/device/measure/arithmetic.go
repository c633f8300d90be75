package measure

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tstore/tstore/compute/device"
)

// A thread has as many chains of instructions, none of which waits for another, and goes round with
// so many instructions of each.
const (
	threads  = 256 // of a block
	parallel = 8
	unrolled = 16
)

// maxBlocks is how many blocks there are at most, enough for any device to be busy: a power of two.
const maxBlocks = 4096

// chains returns code whose threads do rounds of fused multiplications and additions, and store what
// comes out: nothing can be left out.
func chains(float string) string {
	var b strings.Builder
	bits := "b" + float[1:]
	half := map[string]string{"f32": "0x3F000000", "f64": "0x3FE0000000000000"}[float]
	fmt.Fprintf(&b, `.version 7.0
.target sm_70
.address_size 64

.visible .entry chains(.param .b64 out, .param .b64 rounds)
{
	.reg .b64 %%out, %%rounds;
	.reg .b32 %%thread;
	.reg .pred %%more;
	.reg .%s %%half;
`, bits)
	for k := range parallel {
		fmt.Fprintf(&b, "\t.reg .%s %%x%d;\n", bits, k)
	}

	// Each chain has a number of its own to begin with.
	fmt.Fprintf(&b, "\tld.param.b64 %%out, [out];\n\tld.param.b64 %%rounds, [rounds];\n\tmov.%s %%half, %s;\n", bits, half)
	b.WriteString("\tmov.u32 %thread, %tid.x;\n")
	for k := range parallel {
		fmt.Fprintf(&b, "\tcvt.rn.%s.u32 %%x%d, %%thread;\n\tadd.u32 %%thread, %%thread, 1;\n", float, k)
	}

	b.WriteString("again:\n")
	for range unrolled {
		for k := range parallel {
			fmt.Fprintf(&b, "\tfma.rn.%s %%x%d, %%x%d, %%half, %%half;\n", float, k, k)
		}
	}
	b.WriteString("\tsub.u64 %rounds, %rounds, 1;\n\tsetp.ne.u64 %more, %rounds, 0;\n\t@%more bra again;\n")

	// All of them make one number.
	for k := 1; k < parallel; k++ {
		fmt.Fprintf(&b, "\tadd.rn.%s %%x0, %%x0, %%x%d;\n", float, k)
	}
	fmt.Fprintf(&b, "\tmov.u32 %%thread, %%tid.x;\n\tmad.wide.u32 %%out, %%thread, 8, %%out;\n\tst.global.%s [%%out], %%x0;\n\tret;\n}\n", float)
	return b.String()
}

// launch gives a queue n rounds of a block, a power of two: those of several blocks, which write over
// each other, and where there are more, several of each.
func (l *lane) launch(m device.Module, n int) error {
	blocks := min(n, maxBlocks)
	return l.queue.Launch(m, &device.Launch{
		Entry: "chains", Grid: [3]int{blocks, 1, 1}, Block: [3]int{threads, 1, 1}, Params: []uint64{l.memory, uint64(n / blocks)},
	})
}

// arithmetic measures instructions of all threads.
func (b *bench) arithmetic(r *Rates) error {
	for m, rate := range map[device.Module]*float64{b.float32s: &r.Float32, b.float64s: &r.Float64} {
		seconds, err := b.seconds(func(n int) error {
			return b.in.do(b.ctx, func(device.Queue) error { return b.in.launch(m, n) })
		})
		if err != nil {
			return err
		}
		*rate = threads * parallel * unrolled / seconds
	}
	return nil
}

// start measures the shortest way there and back.
func (b *bench) start(r *Rates) (err error) {
	r.Start, err = b.seconds(func(n int) error {
		for range n {
			if err := b.in.do(b.ctx, b.roundTrip); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

func (b *bench) roundTrip(q device.Queue) error {
	return errors.Join(q.Upload(b.in.memory, b.in.stage[:len(b.result)]), b.in.launch(b.float32s, 1), q.Download(b.result, b.in.memory))
}
