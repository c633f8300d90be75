package devicecheck

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/internal/ptxvm/ptxcase"
)

// instructions runs each instruction on the edges of its types, and compares the results with those
// of package ptxvm.
func (c *check) instructions() error {
	all := ptxcase.All()
	results := make([][]byte, len(all))
	var wrong []error
	_, err := c.each(len(all), func(q *queue) (func(i int) error, error) {
		var in, out room
		return func(i int) (err error) {
			results[i], err = runCase(q, all[i], &in, &out)
			return err
		}, nil
	})
	if err != nil {
		return err
	}

	done := 0
	for i, of := range all {
		if results[i] == nil {
			continue
		}
		done++
		c.golden.Add(of, results[i])
		want, err := of.Interpret(c.ctx)
		if err == nil {
			err = of.Compare(results[i], want)
		}
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	if len(wrong) > 0 {
		wrong = append([]error{fmt.Errorf("%d instructions differ from those of ptxvm", len(wrong))}, wrong...)
	}
	c.Report(counted("instructions at the edges of their types", done-max(len(wrong)-1, 0), len(all), errors.Join(wrong...)))
	return nil
}

// runCase returns what the device computes of a case.
func runCase(q *queue, of *ptxcase.Case, in, out *room) ([]byte, error) {
	m, err := q.compile(of.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", of.Name, err)
	}
	from, err1 := in.of(q, len(of.In))
	to, err2 := out.of(q, of.Bytes)
	if err := errors.Join(err1, err2, q.write(from, of.In)); err != nil {
		return nil, err
	}
	l := &device.Launch{Entry: ptxcase.Entry, Grid: of.Grid(), Block: of.Block(), Params: []uint64{from, to}}
	if err := q.Launch(m, l); err != nil {
		return nil, fmt.Errorf("%s: %w", of.Name, err)
	}
	p, err := q.read(to, of.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", of.Name, err)
	}
	return bytes.Clone(p), q.drop()
}
