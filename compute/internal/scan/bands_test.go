package scan_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/compute/internal/scan"
	"github.com/tstore/tstore/dtype"
)

// columnSums returns the scan of the columns of a matrix of float64, in C order, and its results.
func columnSums(t *testing.T, rows, cols int, stop *atomic.Bool) (*scan.Scan, []float64) {
	t.Helper()
	data, results := make([]float64, rows*cols), make([]float64, rows*cols)
	for i := range data {
		data[i] = 1
	}
	var b machine.Builder
	b.Output(b.Input(dtype.Float64))
	at := plan.Operand{Strides: []int{8 * cols, 8}, ElemSize: 8}
	s, err := scan.New(scan.Spec{
		Op: reduce.Sum, Type: dtype.Float64, Shape: []int{rows, cols}, Program: b.Program(), Element: dtype.Float64, Stop: stop,
		Inputs: []exec.Operand{{Base: unsafe.Pointer(&data[0])}}, Layouts: []plan.Operand{at},
		Out: exec.Operand{Base: unsafe.Pointer(&results[0])}, OutAt: at,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, results
}

// TestWalksMemoryInOrder checks that chunks which follow each other touch bytes near each other, so
// that what is behind can be dropped, and that columns side by side take one job.
func TestWalksMemoryInOrder(t *testing.T) {
	const rows, cols, near = 3000, 1000, 10 << 20
	s, _ := columnSums(t, rows, cols, nil)
	jobs := s.Jobs()
	if len(jobs) != 1 {
		t.Fatalf("%d jobs, want 1", len(jobs))
	}
	last := 0
	for chunk := range jobs[0].NumChunks() {
		lo, hi := jobs[0].Extent(1, chunk)
		if hi-lo > near || lo < last-near {
			t.Fatalf("chunk %d touches bytes %d to %d, after one that began at %d", chunk, lo, hi, last)
		}
		last = lo
	}
	if end := rows * cols * 8; last < end-near {
		t.Errorf("the last chunk begins at %d of %d bytes", last, end)
	}
}

// TestFailedChunkEndsWaiting checks that workers which wait for a chunk end when it fails.
func TestFailedChunkEndsWaiting(t *testing.T) {
	s, _ := columnSums(t, 3000, 1000, nil)
	job := s.Jobs()[0]
	broken := errors.New("broken")
	for _, at := range []int{0, 1, job.NumChunks() / 2, job.NumChunks() - 1} {
		err := exec.Run(context.Background(), job, exec.Options{Parallelism: 7, Before: func(chunk int) error {
			if chunk == at {
				return broken
			}
			return nil
		}})
		if !errors.Is(err, broken) {
			t.Errorf("chunk %d: error %v", at, err)
		}
		s, _ = columnSums(t, 3000, 1000, nil)
		job = s.Jobs()[0]
	}
}

// TestStops checks that a scan leaves work out once it is told to stop.
func TestStops(t *testing.T) {
	for _, shape := range [][2]int{{3000, 1000}, {1 << 20, 1}} {
		var stop atomic.Bool
		stop.Store(true)
		s, results := columnSums(t, shape[0], shape[1], &stop)
		for _, job := range s.Jobs() {
			if err := exec.Run(context.Background(), job, exec.Options{Parallelism: 2}); err != nil {
				t.Fatal(err)
			}
		}
		for i, v := range results {
			if v != 0 {
				t.Fatalf("shape %v: element %d has been computed", shape, i)
			}
		}
	}
}
