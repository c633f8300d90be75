package ptxvm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tstore/tstore/internal/ptxvm"
)

// TestLaunchStops runs threads that do what a device does not forbid.
func TestLaunchStops(t *testing.T) {
	const shared = ".shared .align 16 .b8 s[256];\n.reg .b32 %at;\nmov.u32 %at, s;\nmad.lo.u32 %at, %tid, 4, %at;\n"
	for _, c := range []struct {
		name    string
		threads int
		target  int
		code    string
		want    string
	}{
		{"register", 1, 70, "add.u32 %r0, %r1, 1;", "%r1 was never written"},
		{"register in one thread", 2, 70, "setp.eq.u32 %p, %tid, 0;\n@%p mov.b32 %r1, 1;\nadd.u32 %r0, %r1, 1;", "thread [1 0 0] of block [0 0 0]: %r1 was never written"},
		{"predicate", 1, 70, "@%p ret;", "%p was never written"},
		{"address", 1, 70, "ld.global.b32 %r0, [%d0];", "%d0 was never written"},
		{"memory nobody wrote", 1, 70, "ld.global.b32 %r0, [%out];", "the memory was never written"},
		{"past the end", 1, 70, "ld.global.b64 %d0, [%in+16];", "8 bytes at byte 16 of a buffer of 16"},
		{"before the beginning", 1, 70, "ld.global.b64 %d0, [%in+-8];", "belongs to no buffer"},
		{"no buffer", 1, 70, "mov.b64 %d0, 64;\nld.global.b64 %d1, [%d0];", "belongs to no buffer"},
		{"unaligned", 1, 70, "ld.global.b64 %d0, [%in+4];", "is not a multiple of 8"},
		{"unaligned vector", 1, 70, "ld.global.v2.b64 {%d0, %d1}, [%in+8];", "is not a multiple of 16"},
		{"division", 1, 70, "mov.b32 %r0, 0;\nmov.b32 %r1, 1;\nrem.u32 %r2, %r1, %r0;", "a division by 0"},
		{"shared memory nobody wrote", 1, 70, shared + "ld.shared.b32 %r0, [%at];", "the shared memory was never written"},
		{"past shared memory", 65, 70, shared + "st.shared.b32 [%at], %tid;", "outside of shared memory"},
		{"shared address in global memory", 1, 70, shared + "cvt.u64.u32 %d0, %at;\nld.global.b32 %r0, [%d0];", "belongs to no buffer"},
		{"race of writes", 2, 70, shared + "st.shared.b32 [s], %tid;", "a race: thread 0 wrote the shared byte"},
		{"race of a read", 64, 70, shared + "st.shared.b32 [%at], %tid;\nld.shared.b32 %r0, [s];", "a race: thread 0 wrote the shared byte"},
		{"race with a read", 64, 70, shared + "st.shared.b32 [%at], %tid;\nbar.sync 0;\nld.shared.b32 %r0, [s];\nst.shared.b32 [%at], %tid;", "a race: another thread read the shared byte"},
		{"barrier not reached by a thread", 32, 70, "setp.eq.u32 %p, %tid, 3;\n@%p bra past;\nbar.sync 0;\npast:", "other threads of the warp do not reach"},
		{"barrier not reached by a warp", 64, 70, "setp.ge.u32 %p, %tid, 32;\n@%p bra past;\nbar.sync 0;\npast:", "other threads never reach"},
		{"two barriers", 64, 70, "setp.ge.u32 %p, %tid, 32;\n@%p bra second;\nbar.sync 0;\nret;\nsecond: bar.sync 0;", "other threads wait at another one"},
		{"copy not waited for", 1, 80, shared + "cp.async.ca.shared.global [%at], [%in], 4;\ncp.async.commit_group;\nld.shared.b32 %r0, [%at];", "the copy of thread 0 to the shared byte was not waited for"},
		{"copy waited for too little", 1, 80, shared + "cp.async.ca.shared.global [%at], [%in], 4;\ncp.async.commit_group;\ncp.async.wait_group 1;\nld.shared.b32 %r0, [%at];", "was not waited for"},
		{"copy of no group", 1, 80, shared + "cp.async.ca.shared.global [%at], [%in], 4;\ncp.async.wait_group 0;\nld.shared.b32 %r0, [%at];", "was not waited for"},
		{"copy without a barrier", 2, 80, shared + "cp.async.ca.shared.global [%at], [%in], 4;\ncp.async.wait_all;\nld.shared.b32 %r0, [s];", "a race: thread 0 wrote"},
		{"copy never waited for", 1, 80, shared + "cp.async.ca.shared.global [%at], [%in], 4;\ncp.async.commit_group;", "ends before it waited"},
		{"unaligned copy", 1, 80, shared + "cp.async.cg.shared.global [s], [%in+8], 16;", "are not both multiples of 16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := program{target: c.target, code: c.code, threads: c.threads, in: []uint64{1, 2}, out: 1}
			_, err := p.run()
			wantError(t, err, c.want)
			var at *ptxvm.Error
			if !errors.As(err, &at) || at.Line < 17 || at.Source == "" {
				t.Errorf("the error %v does not say where", err)
			}
		})
	}
}

// TestCopies waits for copies by groups, the oldest first, and lets other threads read them behind
// a barrier.
func TestCopies(t *testing.T) {
	p := program{target: 80, threads: 2, in: []uint64{10, 20, 30, 40}, out: 2, code: `
	.shared .align 16 .b8 s[32];
	.reg .b32 %at, %other;
	mov.u32 %at, s;
	mad.wide.u32 %d0, %tid, 8, %in;
	mad.lo.u32 %at, %tid, 8, %at;
	cp.async.ca.shared.global [%at], [%d0], 8;
	cp.async.commit_group;
	cp.async.ca.shared.global [%at+16], [%d0+16], 8;
	cp.async.commit_group;
	cp.async.wait_group 1;
	bar.sync 0;
	xor.b32 %other, %at, 8;
	ld.shared.b64 %d1, [%other];
	cp.async.wait_group 0;
	bar.sync 0;
	ld.shared.b64 %d2, [%other+16];
	add.u64 %d1, %d1, %d2;
	st.global.b64 [%mine], %d1;`}
	got, err := p.run()
	if err != nil || got[0] != 20+40 || got[1] != 10+30 {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestBarriers turns around an array of a length that the launch gives, in several warps.
func TestBarriers(t *testing.T) {
	const n = 100
	p := program{threads: n, shared: 8 * n, out: n, globals: ".extern .shared .align 16 .b8 all[];", code: `
	mov.u32 %r0, all;
	mad.lo.u32 %r1, %tid, 8, %r0;
	cvt.u64.u32 %d0, %tid;
	st.shared.b64 [%r1], %d0;
	bar.sync 0;
	sub.u32 %r2, 99, %tid;
	mad.lo.u32 %r1, %r2, 8, %r0;
	ld.shared.b64 %d0, [%r1];
	st.global.b64 [%mine], %d0;`}
	got, err := p.run()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v != uint64(n-1-i) {
			t.Errorf("element %d is %d, want %d", i, v, n-1-i)
		}
	}
}

// TestFreed touches a buffer that is no more.
func TestFreed(t *testing.T) {
	var d ptxvm.Device
	m, err := d.Load(doubled)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Alloc(4)
	if err != nil {
		t.Fatal(err)
	}
	address := b.Address()
	b.Free()
	launch := &ptxvm.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Params: []uint64{address, 1}}
	wantError(t, m.Launch(context.Background(), "doubled", launch), "a buffer that was freed")
}

// TestEndless ends a launch that would never end by itself.
func TestEndless(t *testing.T) {
	var d ptxvm.Device
	p := program{code: "on: bra on;"}
	m, err := d.Load(p.text())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	err = m.Launch(ctx, "k", &ptxvm.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Params: []uint64{0, 0}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestLaunchRefuses launches what a device refuses.
func TestLaunchRefuses(t *testing.T) {
	var d ptxvm.Device
	m, err := d.Load(doubled)
	if err != nil {
		t.Fatal(err)
	}
	one := [3]int{1, 1, 1}
	for _, c := range []struct {
		name, entry string
		launch      ptxvm.Launch
		want        string
	}{
		{"entry", "other", ptxvm.Launch{Grid: one, Block: one, Params: []uint64{0, 0}}, `no entry "other"`},
		{"parameters", "doubled", ptxvm.Launch{Grid: one, Block: one, Params: []uint64{0}}, "1 parameters, want 2"},
		{"no threads", "doubled", ptxvm.Launch{Grid: one, Params: []uint64{0, 0}}, "a block of [0 0 0] threads"},
		{"too many threads", "doubled", ptxvm.Launch{Grid: one, Block: [3]int{1024, 2, 1}, Params: []uint64{0, 0}}, "want 1024 at most"},
		{"no blocks", "doubled", ptxvm.Launch{Block: one, Params: []uint64{0, 0}}, "a grid of [0 0 0] blocks"},
		{"shared memory", "doubled", ptxvm.Launch{Grid: one, Block: one, Shared: 1 << 20, Params: []uint64{0, 0}}, "bytes of shared memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantError(t, m.Launch(context.Background(), c.entry, &c.launch), c.want)
		})
	}
}
