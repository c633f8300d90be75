package devicecheck

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// choiceTexts are expressions of which some are faster on a device, and some are not. Those with @
// are of matrices.
var choiceTexts = []string{
	"a + b", "sqrt(a*a + b*b)", "exp(a)", "exp(a)*b + a", "tanh(a) + exp(b)", "sin(a)*cos(b)", "exp(sin(a)) + exp(cos(b))", "erf(a)*erf(b)",
	"sin(a)**2 + cos(a)**2 + sin(b)**2 + cos(b)**2", "exp(exp(exp(exp(-a*a))))", "a @ b", "a @ b + b @ a",
}

// choice compares what chooses the CPU or the device by their rates with the faster of both.
func (c *check) choice() error {
	const goal = 1 / 1.15
	n, edge := c.scaled(32<<20, 1<<12), c.scaled(1200, 40)
	var worst Figure
	done := 0
	for _, text := range choiceTexts {
		if c.late() {
			break
		}
		e := &expression{text: text, tensors: map[string]*view.Tensor{}}
		shape := []int{n}
		if strings.Contains(text, "@") {
			shape = []int{edge, edge}
		}
		err := errors.Join(e.addNumbers(c, "a", 5, shape...), e.addNumbers(c, "b", 6, shape...))
		var f Figure
		if err == nil {
			f, err = c.chosen(e)
		}
		if err := errors.Join(err, e.close()); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		if done == 0 || f.Value < worst.Value {
			worst = f
		}
		done++
	}
	worst.Name = fmt.Sprintf("the faster side against the chosen, %d times", done)
	if worst.Value < goal {
		worst.Verdict = Missed
	}
	c.Report(judged(worst))
	return nil
}

// addNumbers adds a tensor of random float32s.
func (e *expression) addNumbers(c *check, name string, seed int, shape ...int) error {
	n := 4
	for _, d := range shape {
		n *= d
	}
	st, err := mmapstore.New(int64(n))
	if err != nil {
		return err
	}
	t, err := tensorOf(st, dtype.Float32, shape...)
	if err == nil {
		e.tensors[name] = t
		err = c.fill(t, seed)
	}
	return err
}

// chosen returns the time of the faster side as a part of that of the choice.
func (c *check) chosen(e *expression) (Figure, error) {
	rates := func(context.Context, device.Device) (measure.Rates, error) { return c.known, nil }
	var seconds [3]float64
	for i, o := range []*compute.Options{{}, {Device: c.device}, {Device: c.device, DeviceRates: rates}} {
		parsed, err := compute.Parse(e.text)
		if err != nil {
			return Figure{}, err
		}
		for range 3 { // the best one counts
			begin := time.Now()
			result, err := parsed.Eval(c.ctx, e.env(), o)
			took := time.Since(begin).Seconds()
			if err == nil {
				err = result.Close()
			}
			if err != nil {
				return Figure{}, err
			}
			if seconds[i] == 0 || took < seconds[i] {
				seconds[i] = took
			}
		}
	}
	return Figure{
		Value: min(seconds[0], seconds[1]) / seconds[2], Unit: "of its time",
		Note: fmt.Sprintf("%s: %.3gs on the CPU, %.3gs on the device, %.3gs chosen; at least 0.87", e.text, seconds[0], seconds[1], seconds[2]),
	}, nil
}
