package offload

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/gemm"
)

// check compares the sums of a strip of a tile with those that package gemm makes of its rows and
// columns, if it is one of the share. It touches mapped operands, as packing does. Operands on the
// device can't be read by the CPU, and are not checked.
func (w *productWorker) check(at gemm.Part, sums []byte) error {
	if w.spec.A.Address != 0 || w.spec.B.Address != 0 || !w.engine.draws() {
		return nil
	}
	want := aligned(len(sums))
	job := gemm.New(w.operands.Alone(at, want))
	defer job.Close()
	worker := job.NewWorker()
	for chunk := range job.NumChunks() {
		if w.gate.stopped.Load() {
			return errStopped
		}
		if err := worker.Run(chunk); err != nil {
			return err
		}
	}

	elements := w.operands.Elements(at)
	return w.engine.compare(w.operands.Sums(), sums, want, func(i int) string {
		return fmt.Sprintf("the sum of element (%d, %d) of product %d of %d", at.Row+i/elements.Cols, elements.Col+i%elements.Cols, at.Batch+1, w.matrices)
	})
}
