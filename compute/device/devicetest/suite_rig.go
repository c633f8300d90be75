package devicetest

import (
	"encoding/binary"
	"testing"

	"github.com/tstore/tstore/compute/device"
)

// A rig is a queue whose errors end the test.
type rig struct {
	device.Queue
	t *testing.T
}

// newRig makes a queue. The caller closes it.
func newRig(t *testing.T, d device.Device) *rig {
	t.Helper()
	return &rig{must(d.NewQueue())(t), t}
}

// memory takes memory of the device.
func (r *rig) memory(n int) uint64 {
	r.t.Helper()
	return must(r.Memory(int64(n)))(r.t)
}

// up gives an upload of some bytes to new memory, and returns its address.
func (r *rig) up(p []byte) uint64 {
	r.t.Helper()
	from := must(r.Stage(len(p), device.Written))(r.t)
	copy(from, p)
	to := r.memory(len(p))
	ok(r.t, r.Upload(to, from))
	return to
}

// down gives a download, and returns where the bytes will be.
func (r *rig) down(from uint64, n int) []byte {
	r.t.Helper()
	to := must(r.Stage(n, device.Read))(r.t)
	ok(r.t, r.Download(to, from))
	return to
}

// launch gives a launch of n threads of the entry "main".
func (r *rig) launch(m device.Module, n int, params ...uint64) {
	r.t.Helper()
	ok(r.t, r.Launch(m, threads(n, params...)))
}

// wait ends the test unless all that was given is done.
func (r *rig) wait() {
	r.t.Helper()
	if err := r.Wait(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// close closes the queue.
func (r *rig) close() {
	r.t.Helper()
	ok(r.t, r.Close())
}

// threads describes a launch of n threads or a few more.
func threads(n int, params ...uint64) *device.Launch {
	const block = 128
	return &device.Launch{Entry: "main", Grid: [3]int{(n + block - 1) / block, 1, 1}, Block: [3]int{block, 1, 1}, Params: params}
}

// words returns numbers as bytes.
func words(all ...uint32) []byte {
	p := make([]byte, 0, 4*len(all))
	for _, v := range all {
		p = binary.LittleEndian.AppendUint32(p, v)
	}
	return p
}

// counted returns the words 0·by, 1·by, 2·by, ….
func counted(n int, by uint32) []byte {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i) * by
	}
	return words(all...)
}
