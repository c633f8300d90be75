package ptxvm_test

import "testing"

// TestBranches lets each thread run a loop of its own length, with a way out in the middle.
func TestBranches(t *testing.T) {
	const n = 100
	p := program{threads: n, out: n, code: `
	cvt.u64.u32 %d0, %tid;
	mov.b64 %d1, 0;
loop:
	setp.eq.u64 %p, %d0, 0;
	@%p bra done;
	add.u64 %d1, %d1, %d0;
	rem.u64 %d2, %d1, 7;
	setp.ne.u64 %q, %d2, 5;
	sub.u64 %d0, %d0, 1;
	@%q bra loop;
	{
		.reg .b64 %d1;
		mov.b64 %d1, 1000;
		bra done;
	}
done:
	st.global.b64 [%mine], %d1;`}
	got, err := p.run()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		sum := 0
		for k := i; k > 0; k-- {
			if sum += k; sum%7 == 5 {
				break
			}
		}
		if v != uint64(sum) {
			t.Errorf("thread %d has %d, want %d", i, v, sum)
		}
	}
}

// BenchmarkLoop measures instructions of full warps: one operation is that of one thread.
func BenchmarkLoop(b *testing.B) {
	const loops, perLoop, threads = 1000, 5, 128
	p := program{threads: threads, out: threads, code: `
	mov.b32 %r0, 1000;
	mov.b64 %d0, 1;
loop:
	mad.lo.u64 %d0, %d0, 5, 3;
	xor.b64 %d0, %d0, 12345;
	sub.u32 %r0, %r0, 1;
	setp.ne.u32 %p, %r0, 0;
	@%p bra loop;
	st.global.b64 [%mine], %d0;`}
	for b.Loop() {
		if _, err := p.run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(loops*perLoop*threads), "ns/instruction")
}
