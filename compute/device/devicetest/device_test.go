package devicetest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
)

const doubled = `
.version 7.0
.target sm_70
.address_size 64

.visible .entry doubled(.param .b64 in, .param .b64 out, .param .b64 n)
{
	.reg .b64 %in, %out, %n, %i;
	.reg .b32 %x, %y, %v;
	.reg .pred %outside;
	mov.u32 %x, %ctaid.x;
	mov.u32 %y, %ntid.x;
	mul.lo.u32 %x, %x, %y;
	mov.u32 %y, %tid.x;
	add.u32 %x, %x, %y;
	cvt.u64.u32 %i, %x;
	ld.param.b64 %n, [n];
	setp.ge.u64 %outside, %i, %n;
	@%outside bra done;
	ld.param.b64 %in, [in];
	ld.param.b64 %out, [out];
	shl.b64 %i, %i, 2;
	add.u64 %in, %in, %i;
	add.u64 %out, %out, %i;
	ld.global.u32 %v, [%in];
	add.u32 %v, %v, %v;
	st.global.u32 [%out], %v;
done:
	ret;
}
`

func TestSmoke(t *testing.T) {
	d := devicetest.New(nil)
	m, err := d.Compile(doubled)
	if err != nil {
		t.Fatal(err)
	}
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	const n = 1000
	in, _ := q.Stage(4*n, device.Written)
	out, _ := q.Stage(4*n, device.Read)
	var want []byte
	for i := range n {
		binary.LittleEndian.PutUint32(in[4*i:], uint32(i))
		want = binary.LittleEndian.AppendUint32(want, uint32(2*i))
	}
	a, _ := q.Memory(4 * n)
	b, _ := q.Memory(4 * n)
	if err := q.Upload(a, in); err != nil {
		t.Fatal(err)
	}
	if err := q.Launch(m, &device.Launch{Entry: "doubled", Grid: [3]int{4, 1, 1}, Block: [3]int{256, 1, 1}, Params: []uint64{a, b, n}}); err != nil {
		t.Fatal(err)
	}
	if err := q.Download(out, b); err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, want) {
		t.Error("wrong")
	}
	t.Log(d.Live(), d.Stats())
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err == nil {
		t.Fatal("no error")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}
