package offload

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/reduce"
)

// CoversReduction returns a *ptx.UnsupportedError if there is no code for a reduction.
func (e *Engine) CoversReduction(job *reduce.Engine) error {
	folding, layouts, err := lowerFolds(job)
	if err == nil {
		_, err = ptx.CompileFolds(folding.Program, layouts, folding.PerLane)
	}
	return err
}

// ExplainReduction says what folds the elements of a reduction, or why the CPU does.
func (e *Engine) ExplainReduction(job *reduce.Engine) (what string, ok bool) {
	if err := e.CoversReduction(job); err != nil {
		return e.instead(err), false
	}
	how := "a block of threads for each run of elements"
	if folding, _ := job.Folding(); folding.PerLane {
		how = "a thread for each column"
	}
	return fmt.Sprintf("GPU code for %v, which reduces as well, %s", e.Place(), how), true
}

// lowerFolds returns what a reduction folds, as package ptx takes it, and how its inputs lie.
func lowerFolds(job *reduce.Engine) (*reduce.Folding, *ptx.Layouts, error) {
	folding, why := job.Folding()
	switch {
	case why != "":
		return nil, nil, &ptx.UnsupportedError{What: why}
	case folding.Lying == nil:
		return folding, nil, nil
	case folding.Lying.TooLong:
		return nil, nil, &ptx.UnsupportedError{What: "axes of more than 2³¹ elements that are no single run"}
	}
	lying := folding.Lying
	layouts := &ptx.Layouts{Inputs: make([]ptx.Layout, len(folding.Inputs)), Rank: len(lying.Sizes), Rows: lying.Rows}
	for _, k := range lying.Inputs {
		layouts.Inputs[k] = ptx.Strided
	}
	return folding, layouts, nil
}

// coordinateParams returns the parameters that tell a program of folds how strided inputs lie.
func coordinateParams(l *reduce.Lying) (params []uint64) {
	if l == nil {
		return nil
	}
	for _, n := range l.Sizes {
		params = append(params, uint64(n))
	}
	for _, strides := range l.Strides {
		for _, s := range strides {
			params = append(params, uint64(s))
		}
	}
	return params
}
