package exec_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/dtype"
)

// TestLoop subtracts two int32 operands of several layouts, for several worker counts and sizes of
// chunks.
func TestLoop(t *testing.T) {
	tests := []struct {
		name    string
		shape   []int
		strides [3][]int // elements: of both inputs and the output
	}{
		{"scalar", nil, [3][]int{}},
		{"empty", []int{0, 3}, [3][]int{{3, 1}, {3, 1}, {3, 1}}},
		{"1-D", []int{5000}, [3][]int{{1}, {1}, {1}}},
		{"steps", []int{5000}, [3][]int{{3}, {2}, {1}}},
		{"reversed", []int{700}, [3][]int{{-1}, {1}, {-1}}},
		{"matrix", []int{70, 300}, [3][]int{{300, 1}, {300, 1}, {300, 1}}},
		{"gaps", []int{70, 300}, [3][]int{{301, 1}, {310, 1}, {305, 1}}},
		{"row and column", []int{90, 400}, [3][]int{{0, 1}, {1, 0}, {400, 1}}},
		{"short rows, row and column", []int{900, 5}, [3][]int{{0, 1}, {1, 0}, {6, 1}}},
		{"transposed", []int{260, 200}, [3][]int{{200, 1}, {1, 260}, {200, 1}}},
		{"both transposed", []int{90, 80}, [3][]int{{1, 90}, {1, 91}, {80, 1}}},
		{"stack of transposed", []int{3, 90, 70}, [3][]int{{6300, 70, 1}, {6300, 1, 90}, {6300, 70, 1}}},
		{"output by columns", []int{90, 80}, [3][]int{{80, 1}, {80, 1}, {1, 90}}},
		{"same element", []int{40, 300}, [3][]int{{0, 0}, {300, 1}, {300, 1}}},
	}
	for _, test := range tests {
		for _, workers := range []int{1, 3} {
			for _, elems := range []int{1, 1000, 1 << 20} {
				t.Run(fmt.Sprintf("%s/workers=%d/elems=%d", test.name, workers, elems), func(t *testing.T) {
					subtract(t, test.shape, test.strides, workers, elems)
				})
			}
		}
	}
}

// subtract checks one case with operands that are reached by their addresses, and by reading.
func subtract(t *testing.T, shape []int, strides [3][]int, workers, elems int) {
	for _, read := range []bool{false, true} {
		subtractBy(t, read, shape, strides, workers, elems)
	}
}

func subtractBy(t *testing.T, read bool, shape []int, strides [3][]int, workers, elems int) {
	const middle = 1 << 16
	var memory [3][]int32
	operands := make([]exec.Operand, 3)
	planned := make([]plan.Operand, 3)
	for k := range memory {
		memory[k] = make([]int32, 2*middle)
		for i := range memory[k] {
			memory[k][i] = int32(i * (k + 3))
		}
		operands[k] = exec.Operand{Base: unsafe.Pointer(&memory[k][middle]), Stream: k == 2}
		if k < 2 && read {
			operands[k].Read = func(p []byte, off int) error {
				copy(p, unsafe.Slice((*byte)(unsafe.Add(operands[k].Base, off)), len(p)))
				return nil
			}
		}
		planned[k] = plan.Operand{ElemSize: 4, Strides: slices.Clone(strides[k])}
		for axis := range planned[k].Strides {
			planned[k].Strides[axis] *= 4
		}
	}
	want := slices.Clone(memory[2])
	walk(shape, func(index []int) {
		var at [3]int
		for k := range at {
			at[k] = middle
			for axis, i := range index {
				at[k] += i * strides[k][axis]
			}
		}
		want[at[2]] = memory[0][at[0]] - memory[1][at[1]]
	})
	nest := plan.New(shape, planned, 2)
	l := exec.NewLoop(difference(), &nest, operands, 2, elems)
	if err := exec.Run(context.Background(), l, exec.Options{Parallelism: workers}); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if memory[2][i] != want[i] {
			t.Fatalf("read=%t: at %d: %d, want %d", read, i-middle, memory[2][i], want[i])
		}
	}
}

func difference() *machine.Program {
	var b machine.Builder
	x, y := b.Input(dtype.Int32), b.Input(dtype.Int32)
	b.Output(b.Op(kernel.Sub, x, y))
	return b.Program()
}

func walk(shape []int, fn func(index []int)) {
	index := make([]int, len(shape))
	var axis func(int)
	axis = func(k int) {
		if k == len(shape) {
			fn(index)
			return
		}
		for index[k] = range shape[k] {
			axis(k + 1)
		}
	}
	axis(0)
}

// TestTranspose copies transposed matrices, whole and with gaps.
func TestTranspose(t *testing.T) {
	for _, gap := range []int{0, 3} {
		const rows, cols = 300, 517
		src, dst := make([]int32, rows*(cols+gap)), make([]int32, cols*(rows+gap))
		for i := range src {
			src[i] = int32(i)
		}
		var b machine.Builder
		b.Output(b.Input(dtype.Int32))
		nest := plan.New([]int{cols, rows}, []plan.Operand{{Strides: []int{4, 4 * (cols + gap)}, ElemSize: 4}, {Strides: []int{4 * (rows + gap), 4}, ElemSize: 4}}, 1)
		l := exec.NewLoop(b.Program(), &nest, []exec.Operand{{Base: unsafe.Pointer(&src[0])}, {Base: unsafe.Pointer(&dst[0])}}, 1, 1<<15)
		if err := exec.Run(context.Background(), l, exec.Options{Parallelism: 2}); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			for j := range cols {
				if got, want := dst[j*(rows+gap)+i], src[i*(cols+gap)+j]; got != want {
					t.Fatalf("gap %d: element %d, %d is %d, want %d", gap, j, i, got, want)
				}
			}
		}
	}
}

// job runs a function for each chunk.
type job struct {
	chunks int
	fn     func(chunk int) error
}

func (j job) NumChunks() int         { return j.chunks }
func (j job) NewWorker() exec.Worker { return j }
func (j job) Run(chunk int) error    { return j.fn(chunk) }

func TestRunErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, workers := range []int{1, 4} {
		var ran atomic.Int64
		failed := make(chan struct{})
		err := exec.Run(context.Background(), job{100, func(chunk int) error {
			ran.Add(1)
			if chunk == 3 {
				return broken
			}
			if chunk > 3 {
				<-failed
			}
			return nil
		}}, exec.Options{Parallelism: workers, Failed: func() { close(failed) }})
		if !errors.Is(err, broken) {
			t.Errorf("%d workers: error %v, want that of the chunk", workers, err)
		}
		if ran.Load() == 100 {
			t.Errorf("%d workers: all chunks ran after an error", workers)
		}
	}
}

// TestRunFailed has workers wait before their chunks for one that fails.
func TestRunFailed(t *testing.T) {
	broken := errors.New("broken")
	failed := make(chan struct{})
	err := exec.Run(context.Background(), job{100, func(int) error { return broken }}, exec.Options{
		Parallelism: 4,
		Before: func(chunk int) error {
			if chunk > 0 {
				<-failed
			}
			return nil
		},
		Failed: func() { close(failed) },
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the chunk", err)
	}
}

func TestRunCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var done atomic.Int64
	err := exec.Run(ctx, job{1000, func(chunk int) error {
		if chunk == 5 {
			cancel()
		}
		return nil
	}}, exec.Options{Parallelism: 2, Done: func(int) { done.Add(1) }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if done.Load() > 100 {
		t.Errorf("%d chunks were done after the cancel", done.Load())
	}
}

// late is a job whose workers count chunks, and add them up when they finish.
type late struct {
	chunks   int
	sum      *atomic.Int64
	finished *atomic.Int64
	fails    int // the chunk that fails, or -1 for Finish
}

var errLate = errors.New("late")

func (j late) NumChunks() int         { return j.chunks }
func (j late) NewWorker() exec.Worker { return &lateWorker{late: j} }

type lateWorker struct {
	late
	taken int64
}

func (w *lateWorker) Run(chunk int) error {
	w.taken += int64(chunk)
	if chunk == w.fails {
		return errLate
	}
	return nil
}

func (w *lateWorker) Finish() error {
	w.sum.Add(w.taken)
	w.finished.Add(1)
	if w.fails < 0 {
		return errLate
	}
	return nil
}

// TestFinisher has workers do at the end what they have left.
func TestFinisher(t *testing.T) {
	const chunks = 100
	for _, workers := range []int{1, 4} {
		j := late{chunks, new(atomic.Int64), new(atomic.Int64), chunks}
		if err := exec.Run(t.Context(), j, exec.Options{Parallelism: workers}); err != nil || j.sum.Load() != chunks*(chunks-1)/2 || j.finished.Load() != int64(workers) {
			t.Errorf("%d workers: %v, %d finished, a sum of %d", workers, err, j.finished.Load(), j.sum.Load())
		}
		j.fails = -1
		if err := exec.Run(t.Context(), j, exec.Options{Parallelism: workers}); !errors.Is(err, errLate) {
			t.Errorf("%d workers, all fail to finish: %v", workers, err)
		}

		// Once a chunk has failed, its worker does not finish.
		j = late{chunks, new(atomic.Int64), new(atomic.Int64), 5}
		if err := exec.Run(t.Context(), j, exec.Options{Parallelism: workers}); !errors.Is(err, errLate) || j.finished.Load() >= int64(workers) {
			t.Errorf("%d workers, chunk 5 fails: %v, %d finished", workers, err, j.finished.Load())
		}
		ctx, cancel := context.WithCancel(t.Context())
		o := exec.Options{Parallelism: workers, Done: func(chunk int) {
			if chunk == chunks-1 {
				cancel()
			}
		}}
		j = late{chunks, new(atomic.Int64), new(atomic.Int64), chunks}
		if err := exec.Run(ctx, j, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers, cancelled at the end: %v", workers, err)
		}
		cancel()
	}
}
