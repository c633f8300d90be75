package compute

import "errors"

func (r *run) scan(*node) error      { return errors.New("cumulative sums and products cannot be computed yet") }
func (r *run) histogram(*node) error { return errors.New("histograms cannot be computed yet") }
func (r *run) bincount(*node) error  { return errors.New("counts of values cannot be computed yet") }
