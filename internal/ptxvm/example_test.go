package ptxvm_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/tstore/tstore/internal/ptxvm"
)

const doubled = `
.version 7.0
.target sm_70
.address_size 64

.visible .entry doubled(.param .u64 numbers, .param .u32 n)
{
	.reg .b64 %address;
	.reg .b32 %i, %n, %v;
	.reg .pred %outside;

	mov.u32 %i, %tid.x;
	ld.param.u32 %n, [n];
	setp.ge.u32 %outside, %i, %n;
	@%outside bra done;

	ld.param.u64 %address, [numbers];
	mad.wide.u32 %address, %i, 4, %address;
	ld.global.u32 %v, [%address];
	add.u32 %v, %v, %v;
	st.global.u32 [%address], %v;
done:
	ret;
}
`

func Example() {
	var device ptxvm.Device
	module, err := device.Load(doubled)
	if err != nil {
		fmt.Println(err)
		return
	}

	numbers := make([]byte, 3*4)
	for i := range 3 {
		binary.LittleEndian.PutUint32(numbers[4*i:], uint32(i+10))
	}
	buffer, _ := device.Alloc(len(numbers))
	_ = buffer.Write(0, numbers)

	launch := &ptxvm.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Params: []uint64{buffer.Address(), 3}}
	if err := module.Launch(context.Background(), "doubled", launch); err != nil {
		fmt.Println(err)
		return
	}
	_ = buffer.Read(0, numbers)
	for i := range 3 {
		fmt.Println(binary.LittleEndian.Uint32(numbers[4*i:]))
	}

	// One thread too many finds no element.
	launch.Params[1] = 4
	fmt.Println(module.Launch(context.Background(), "doubled", launch))

	// Output:
	// 20
	// 22
	// 24
	// launch doubled: line 19: ld.global.u32 %v, [%address];: thread [3 0 0] of block [0 0 0]: 4 bytes at byte 12 of a buffer of 12
}
