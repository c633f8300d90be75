package ptx_test

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
)

func Example() {
	// The conjugates of complex numbers.
	k, err := ptx.Compile(&jit.Program{
		Inputs:  []dtype.Type{dtype.Complex128},
		Ops:     []jit.Op{{Op: kernel.Conj, Operand: dtype.Complex128, Result: dtype.Complex128}},
		Outputs: []int{1},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(k.Text)
	fmt.Println(k.Blocks(1000), "blocks for 1000 elements")

	// Output:
	// .version 7.0
	// .target sm_70
	// .address_size 64
	//
	// .visible .entry program(.param .b64 in0, .param .b64 out0, .param .b64 n)
	// .maxntid 256
	// {
	// 	.reg .pred %p<2>;
	// 	.reg .b32 %r<3>;
	// 	.reg .b64 %q<7>;
	// 	.reg .f64 %d<3>;
	// 	mov.u32 %r0, %ctaid.x;
	// 	mov.u32 %r1, %ntid.x;
	// 	mov.u32 %r2, %tid.x;
	// 	cvt.u64.u32 %q0, %r2;
	// 	mad.wide.u32 %q1, %r0, %r1, %q0;
	// 	ld.param.b64 %q2, [n];
	// 	setp.ge.u64 %p0, %q1, %q2;
	// 	@%p0 bra L1;
	// 	setp.lt.u64 %p1, %q1, %q2;
	// 	ld.param.b64 %q3, [in0];
	// 	mad.lo.u64 %q4, %q1, 16, %q3;
	// 	ld.global.v2.f64 {%d0, %d1}, [%q4];
	// 	neg.f64 %d2, %d1;
	// 	ld.param.b64 %q5, [out0];
	// 	mad.lo.u64 %q6, %q1, 16, %q5;
	// 	st.global.v2.f64 [%q6], {%d0, %d2};
	// L1:
	// 	ret;
	// }
	// 4 blocks for 1000 elements
}
