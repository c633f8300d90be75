package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

// valueFlags say what the elements of a new tensor are.
type valueFlags struct {
	fill, arange string
	seed         uint64
}

func (f *valueFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.fill, "fill", "", "every element is this `VALUE`")
	flags.StringVar(&f.arange, "arange", "", "elements count up: START, START+STEP, … in C order (default 0:1)")
	flags.Lookup("arange").NoOptDefVal = "0:1"
	flags.Uint64Var(&f.seed, "random", 0, "random elements: floats in [0, 1), integers of the whole range; the same for the same `SEED`")
}

// reader yields n elements in C order. It is nil for zeros.
func (f *valueFlags) reader(given func(flag string) bool, t dtype.Type, n int) (io.Reader, error) {
	fill, arange, random := given("fill"), given("arange"), given("random")

	switch {
	case fill && arange || fill && random || arange && random:
		return nil, errors.New("expected one of --fill, --arange and --random, found several")
	case fill:
		return filled(t, f.fill, n)
	case arange:
		return counting(t, f.arange, n)
	case random:
		g, err := compute.Random(t, f.seed)
		if err != nil {
			return nil, err
		}
		return g.Take(n), nil
	}
	return nil, nil
}

func filled(t dtype.Type, text string, n int) (io.Reader, error) {
	v, err := dtype.ParseScalar(t, text)
	if err != nil {
		return nil, fmt.Errorf("--fill: %w", err)
	}
	if v == dtype.Load(t, make([]byte, t.Size())) {
		return nil, nil
	}
	g, err := compute.Constant(t, v)
	if err != nil {
		return nil, err
	}
	return g.Take(n), nil
}

// counting reads "START", or "START:STEP".
func counting(t dtype.Type, text string, n int) (io.Reader, error) {
	from, by, ok := strings.Cut(text, ":")
	if !ok {
		by = "1"
	}

	start, err := parseNumber(from)
	if err != nil {
		return nil, fmt.Errorf("--arange %s: %w", text, err)
	}
	step, err := parseNumber(by)
	if err != nil {
		return nil, fmt.Errorf("--arange %s: %w", text, err)
	}

	g, err := compute.Arange(t, start, step, n)
	if err != nil {
		return nil, fmt.Errorf("--arange %s: %w", text, err)
	}

	return g.Take(n), nil
}

// parseNumber reads a number as the narrowest kind that has it exactly.
func parseNumber(text string) (dtype.Scalar, error) {
	for _, t := range []dtype.Type{dtype.Int64, dtype.Uint64, dtype.Float64} {
		if v, err := dtype.ParseScalar(t, text); err == nil {
			return v, nil
		}
	}
	return dtype.ParseScalar(dtype.Complex128, text)
}
