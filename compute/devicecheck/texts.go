package devicecheck

import (
	"fmt"
	"strings"
)

// copyVectors is how many vectors of 16 bytes a thread of copyText copies.
const copyVectors = 4

// copyThreads is the number of threads of a block of copyText.
const copyThreads = 256

// copyText is a module that copies vectors of 16 bytes, of which the number is a multiple of what a
// block copies.
func copyText() string {
	var b strings.Builder
	for i := range copyVectors {
		fmt.Fprintf(&b, "\tld.global.v4.b32 {%%r%d, %%r%d, %%r%d, %%r%d}, [%%from+%d];\n", 4*i+4, 4*i+5, 4*i+6, 4*i+7, 16*copyThreads*i)
	}
	for i := range copyVectors {
		fmt.Fprintf(&b, "\tst.global.v4.b32 [%%to+%d], {%%r%d, %%r%d, %%r%d, %%r%d};\n", 16*copyThreads*i, 4*i+4, 4*i+5, 4*i+6, 4*i+7)
	}
	return fmt.Sprintf(`.version 7.0
.target sm_70
.address_size 64

.visible .entry copy(.param .b64 from, .param .b64 to)
.maxntid %d
{
	.reg .b32 %%r<%d>;
	.reg .b64 %%from, %%to, %%at;
	ld.param.b64 %%from, [from];
	ld.param.b64 %%to, [to];
	mov.u32 %%r0, %%ctaid.x;
	mov.u32 %%r1, %%tid.x;
	mad.lo.u32 %%r0, %%r0, %d, %%r1;
	mul.wide.u32 %%at, %%r0, 16;
	add.u64 %%from, %%from, %%at;
	add.u64 %%to, %%to, %%at;
%s	ret;
}
`, copyThreads, 4*copyVectors+4, copyThreads*copyVectors, b.String())
}
