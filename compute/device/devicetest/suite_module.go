package devicetest

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

// The error of Compile has what the compiler says.
func testCompileErrors(t *testing.T, d device.Device) {
	_, err := d.Compile(unknown)
	wantText(t, "an unknown instruction", err, "frobnicate")
	for name, text := range map[string]string{"no text": "", "no PTX": "hello, world", "half of a text": places[:len(places)/2]} {
		_, err := d.Compile(text)
		wantError(t, name, err)
	}
}

func testLaunch(t *testing.T, d device.Device) {
	m := must(d.Compile(multiply(2)))(t)
	for _, n := range []int{1, 128, 1000} {
		r := newRig(t, d)
		in, out := r.up(counted(n, 1)), r.memory(4*n)
		r.launch(m, n, in, out, uint64(n))
		got := r.down(out, 4*n)
		r.wait()
		wantBytes(t, fmt.Sprintf("%d words", n), got, counted(n, 2))
		r.close()
	}
	ok(t, m.Close())
}

// Blocks and threads are where the launch says.
func testPlaces(t *testing.T, d device.Device) {
	m := must(d.Compile(places))(t)
	for _, l := range []device.Launch{
		{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}},
		{Grid: [3]int{5, 1, 1}, Block: [3]int{33, 1, 1}},
		{Grid: [3]int{2, 3, 4}, Block: [3]int{5, 3, 2}},
		{Grid: [3]int{1, 2, 1}, Block: [3]int{4, 4, 64}},
	} {
		var want []byte
		g, b := l.Grid, l.Block
		for i := range g[0] * g[1] * g[2] {
			for j := range b[0] * b[1] * b[2] {
				want = append(want, byte(i%g[0]), byte(i/g[0]%g[1]), byte(i/g[0]/g[1]))
				want = append(want, byte(j%b[0]), byte(j/b[0]%b[1]), byte(j/b[0]/b[1]))
			}
		}

		r := newRig(t, d)
		out := r.memory(len(want))
		l.Entry, l.Params = "main", []uint64{out}
		ok(t, r.Launch(m, &l))
		got := r.down(out, len(want))
		r.wait()
		wantBytes(t, fmt.Sprintf("grid %v, block %v", g, b), got, want)
		r.close()
	}
	ok(t, m.Close())
}

// All bits of a parameter arrive, as they were when Launch was called.
func testWideParameters(t *testing.T, d device.Device) {
	m := must(d.Compile(keep))(t)
	r := newRig(t, d)
	var want []byte
	var got [][]byte
	for i := range uint64(20) {
		out := r.memory(24)
		l := threads(1, out, 0x8123456789abcdef+i, 1<<63|i, ^i)
		for _, v := range l.Params[1:] {
			want = binary.LittleEndian.AppendUint64(want, v)
		}
		ok(t, r.Launch(m, l))
		clear(l.Params)
		*l = device.Launch{}
		got = append(got, r.down(out, 24))
	}

	r.wait()
	for i, p := range got {
		wantBytes(t, fmt.Sprintf("parameters of launch %d", i), p, want[24*i:][:24])
	}
	r.close()
	ok(t, m.Close())
}

// A launch that can't be is an error of Launch or of Wait. Then the queue can only be closed, and
// the device goes on.
func testBadLaunches(t *testing.T, d device.Device) {
	m := must(d.Compile(keep))(t)
	one := [3]int{1, 1, 1}
	for _, c := range []struct {
		name string
		device.Launch
	}{
		{"an entry that is not there", device.Launch{Entry: "nobody", Grid: one, Block: one}},
		{"an entry without a name", device.Launch{Grid: one, Block: one}},
		{"no grid", device.Launch{Entry: "main", Block: one}},
		{"no block", device.Launch{Entry: "main", Grid: one}},
		{"a negative grid", device.Launch{Entry: "main", Grid: [3]int{1, -1, 1}, Block: one}},
		{"a negative block", device.Launch{Entry: "main", Grid: one, Block: [3]int{1, 1, -1}}},
		{"a grid too large", device.Launch{Entry: "main", Grid: [3]int{1, 1, 65536}, Block: one}},
		{"a grid of 2³² blocks and one", device.Launch{Entry: "main", Grid: [3]int{1<<32 + 1, 1, 1}, Block: one}},
		{"a block too large", device.Launch{Entry: "main", Grid: one, Block: [3]int{1025, 1, 1}}},
		{"a block too large by all axes", device.Launch{Entry: "main", Grid: one, Block: [3]int{32, 32, 2}}},
	} {
		r := newRig(t, d)
		c.Params = []uint64{r.memory(24), 1, 2, 3}
		err := r.Launch(m, &c.Launch)
		if err == nil {
			err = r.Wait(t.Context())
		}
		wantError(t, c.name, err)
		wantUnusable(t, r.Queue)
		r.close()
	}

	ok(t, m.Close())
	testLaunch(t, d)
}

// wantUnusable fails the test unless all calls of a queue but Close return errors.
func wantUnusable(t *testing.T, q device.Queue) {
	t.Helper()
	_, err := q.Stage(1, device.Read)
	wantError(t, "Stage of a queue that failed", err)
	_, err = q.Memory(1)
	wantError(t, "Memory of a queue that failed", err)
	wantError(t, "Wait of a queue that failed", q.Wait(t.Context()))
}

// Modules have the names of their entries for themselves, and one queue runs all of them.
func testSeveralModules(t *testing.T, d device.Device) {
	const n, modules = 10, 4
	var all []device.Module
	for i := range modules {
		all = append(all, must(d.Compile(multiply(i+2)))(t))
	}
	r := newRig(t, d)
	at := r.up(counted(n, 1))
	for _, m := range all {
		r.launch(m, n, at, at, n)
	}
	got := r.down(at, 4*n)
	r.wait()
	wantBytes(t, "words multiplied by all", got, counted(n, 2*3*4*5))

	// The others are there when one is closed.
	ok(t, all[0].Close())
	r.launch(all[1], n, at, at, n)
	got = r.down(at, 4*n)
	r.wait()
	wantBytes(t, "words multiplied again", got, counted(n, 2*3*4*5*3))
	r.close()
	for _, m := range all[1:] {
		ok(t, m.Close())
	}
}

func testClosedModule(t *testing.T, d device.Device) {
	m := must(d.Compile(keep))(t)
	ok(t, m.Close())
	wantIs(t, "close a module again", m.Close(), mmapstore.ErrClosed)
	r := newRig(t, d)
	wantIs(t, "launch a closed module", r.Launch(m, threads(1, r.memory(24), 1, 2, 3)), mmapstore.ErrClosed)
	r.close()
}

func testOtherDevice(t *testing.T, open func(t *testing.T) device.Device, _ *Hooks) {
	d, other := open(t), open(t)
	m := must(other.Compile(keep))(t)
	r := newRig(t, d)
	wantError(t, "launch a module of another device", r.Launch(m, threads(1, r.memory(24), 1, 2, 3)))
	r.close()
	ok(t, m.Close())
	ok(t, d.Close())
	ok(t, other.Close())
}
