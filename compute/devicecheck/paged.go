package devicecheck

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// paged measures expressions on files that are larger than the memory of the device.
func (c *check) paged() error {
	n := c.fileBytes(c.scaled(4<<30, 1<<20), 3)
	files, err := c.files(n, "a", "b", "c")
	if err != nil {
		return err
	}
	err = errors.Join(c.fill(files["a"].tensor, 1), c.fill(files["b"].tensor, 2))
	for _, text := range []string{"a + b", "exp(a)", "sum(a)"} {
		if err == nil {
			err = c.pagedProgram(text, files)
		}
	}
	if err == nil {
		err = c.interrupted(files)
	}
	return errors.Join(err, files.close())
}

// pagedProgram measures an expression of a and b, whose result goes to c unless it is a number.
func (c *check) pagedProgram(text string, files files) error {
	in, out := files["a"].bytes(), files["a"].bytes()
	switch text {
	case "a + b":
		in *= 2
	case "sum(a)":
		out = 0
	}
	name := fmt.Sprintf("paged %s of %.3g GiB float32", text, float64(files["a"].bytes())/(1<<30))

	shared := &counter{Device: c.device}
	s, err := c.measure(func() error {
		return files.evaluate(c.ctx, text, out > 0, &compute.Options{Device: shared})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if shared.launches.Load() == 0 {
		c.Report(Figure{Name: name, Verdict: Skipped, Note: "the CPU computes it"})
		return nil
	}

	f := s.rate(name, "GB/s", (in+out)/giga)
	slowest := 0.0
	for _, limit := range []struct {
		name  string
		bytes float64
		rate  float64
	}{{"bus in", in, c.known.Up}, {"bus out", out, c.known.Down}, {"host copies", in + out, c.known.Host / 2}} {
		if seconds := limit.bytes / limit.rate; seconds > slowest {
			slowest, f.Limit, f.LimitOf = seconds, (in+out)/seconds/giga, limit.name
		}
	}
	f.Goal = 0.85
	c.Report(judged(f))
	return nil
}

// interrupted cancels an evaluation in the middle, and measures how long it goes on.
func (c *check) interrupted(files files) error {
	const goal = 0.2
	begin := time.Now()
	if err := files.evaluate(c.ctx, "exp(a)", true, &compute.Options{Device: c.device}); err != nil {
		return err
	}
	took := time.Since(begin)

	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	ended := make(chan time.Time, 1)
	time.AfterFunc(took/3, func() {
		ended <- time.Now()
		cancel()
	})
	err := files.evaluate(ctx, "exp(a)", true, &compute.Options{Device: c.device})
	f := Figure{Name: "paged exp(a), from interrupt to return", Unit: "ms"}
	switch {
	case err == nil:
		f.Verdict, f.Note = Skipped, "it ended before it was interrupted"
	case !errors.Is(err, context.Canceled):
		return err
	default:
		after := time.Since(<-ended)
		f.Value, f.Verdict, f.Note = after.Seconds()*1000, OK, fmt.Sprintf("at most %.0f", 1000*goal)
		if after.Seconds() > goal {
			f.Verdict = Missed
		}
	}
	c.Report(f)
	return nil
}

// evaluate computes an expression of the files. With to, the result goes to c.
func (f files) evaluate(ctx context.Context, text string, to bool, o *compute.Options) (err error) {
	e, err := compute.Parse(text)
	if err != nil {
		return err
	}
	env := compute.Env{Lookup: func(name string) (*view.Tensor, error) { return f[name].tensor, nil }}
	p, err := compute.NewPlan(ctx, []compute.Statement{{Expr: e}}, env, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if to {
		if err := p.SetDst(0, f["c"].tensor); err != nil {
			return err
		}
	}
	return p.Run(ctx)
}

// pagedProduct measures a product of files.
func (c *check) pagedProduct() error {
	edge := 32768
	for edge > 128 && (float64(edge) > 32768*c.Scale || 2*float64(edge)*float64(edge)*float64(edge) > 2*c.known.Float32*0.3*4) {
		edge /= 2
	}
	files, err := c.files(c.fileBytes(4*edge*edge, 3), "a", "b", "c")
	if err != nil {
		return err
	}
	err = errors.Join(c.fill(files["a"].tensor, 3), c.fill(files["b"].tensor, 4))
	if err == nil {
		edge, err = files.square()
	}
	if err == nil {
		err = c.measureProduct(edge, files)
	}
	return errors.Join(err, files.close())
}

func (c *check) measureProduct(edge int, files files) error {
	name := fmt.Sprintf("paged product %d³, float32", edge)

	// A small one shows whether the device computes products at all.
	shared := &counter{Device: c.device}
	small := &expression{text: "a @ b", tensors: map[string]*view.Tensor{}}
	r := c.random("product", 1)
	err := errors.Join(small.add(r, "a", dtype.Float32, 50, 50), small.add(r, "b", dtype.Float32, 50, 50))
	if err := errors.Join(err, small.compare(c.ctx, shared), small.close()); err != nil {
		return err
	}
	if shared.launches.Load() == 0 {
		c.Report(Figure{Name: name, Verdict: Skipped, Note: "the CPU computes it"})
		return nil
	}

	s, err := c.measure(func() error { return files.evaluate(c.ctx, "a @ b", true, &compute.Options{Device: c.device}) })
	if err != nil {
		return err
	}
	f := s.rate(name, "TFLOP/s", 2*float64(edge)*float64(edge)*float64(edge)/1e12)
	f.Limit, f.LimitOf, f.Goal = c.product32/1e12, "the resident product", 0.8
	c.Report(judged(f))
	return nil
}

// floats returns 1 MiB of random numbers of a type.
func (c *check) floats(t dtype.Type, seed int) []byte {
	b := jittest.Aligned(1 << 20)
	r := c.random("numbers", seed)
	for at := 0; at < len(b); at += t.Size() {
		dtype.ScalarOf(r.NormFloat64()).Convert(t).Store(b[at:][:t.Size()])
	}
	return b
}
