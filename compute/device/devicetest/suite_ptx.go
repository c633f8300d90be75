package devicetest

import "fmt"

const head = ".version 7.0\n.target sm_70\n.address_size 64\n"

// multiply returns a module whose entry "main" multiplies n words by a number.
func multiply(by int) string {
	return head + fmt.Sprintf(`
.visible .entry main(.param .b64 in, .param .b64 out, .param .b64 n)
{
	.reg .b64 %%in, %%out, %%n, %%i;
	.reg .b32 %%block, %%size, %%thread, %%v;
	.reg .pred %%outside;

	mov.u32 %%block, %%ctaid.x;
	mov.u32 %%size, %%ntid.x;
	mov.u32 %%thread, %%tid.x;
	mad.lo.u32 %%thread, %%block, %%size, %%thread;
	cvt.u64.u32 %%i, %%thread;
	ld.param.b64 %%n, [n];
	setp.ge.u64 %%outside, %%i, %%n;
	@%%outside bra done;

	ld.param.b64 %%in, [in];
	ld.param.b64 %%out, [out];
	mad.wide.u32 %%in, %%thread, 4, %%in;
	mad.wide.u32 %%out, %%thread, 4, %%out;
	ld.global.b32 %%v, [%%in];
	mul.lo.u32 %%v, %%v, %d;
	st.global.b32 [%%out], %%v;
done:
	ret;
}
`, by)
}

// places has each thread store six bytes, its block and its place there, in the order of threads.
const places = head + `
.visible .entry main(.param .b64 out)
{
	.reg .b64 %out;
	.reg .b32 %at, %of, %bx, %by, %bz, %tx, %ty, %tz;

	mov.u32 %bx, %ctaid.x;
	mov.u32 %by, %ctaid.y;
	mov.u32 %bz, %ctaid.z;
	mov.u32 %tx, %tid.x;
	mov.u32 %ty, %tid.y;
	mov.u32 %tz, %tid.z;

	mov.u32 %of, %nctaid.y;
	mad.lo.u32 %at, %bz, %of, %by;
	mov.u32 %of, %nctaid.x;
	mad.lo.u32 %at, %at, %of, %bx;
	mov.u32 %of, %ntid.z;
	mad.lo.u32 %at, %at, %of, %tz;
	mov.u32 %of, %ntid.y;
	mad.lo.u32 %at, %at, %of, %ty;
	mov.u32 %of, %ntid.x;
	mad.lo.u32 %at, %at, %of, %tx;

	ld.param.b64 %out, [out];
	mad.wide.u32 %out, %at, 6, %out;
	st.global.u8 [%out], %bx;
	st.global.u8 [%out+1], %by;
	st.global.u8 [%out+2], %bz;
	st.global.u8 [%out+3], %tx;
	st.global.u8 [%out+4], %ty;
	st.global.u8 [%out+5], %tz;
	ret;
}
`

// keep stores three parameters.
const keep = head + `
.visible .entry main(.param .b64 out, .param .b64 a, .param .b64 b, .param .b64 c)
{
	.reg .b64 %out, %a, %b, %c;
	ld.param.b64 %out, [out];
	ld.param.b64 %a, [a];
	ld.param.b64 %b, [b];
	ld.param.b64 %c, [c];
	st.global.b64 [%out], %a;
	st.global.b64 [%out+8], %b;
	st.global.b64 [%out+16], %c;
	ret;
}
`

// unknown has an instruction that there is not.
const unknown = head + `
.visible .entry main()
{
	.reg .b32 %v;
	mov.u32 %v, 1;
	frobnicate.u32 %v, %v;
	ret;
}
`
