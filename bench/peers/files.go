package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
)

// files are the store and the paths of the storages that the peers map.
type files struct {
	store   string
	a, b, c string
	x       string // for the cold row; empty without it
}

// coldFactor is how many times the memory limit the operand of the cold row takes.
const coldFactor = 3

// prepare makes a store with the operands a, b and c, and x for the cold row.
func prepare(ctx context.Context, dir string, c config) (f files, err error) {
	f.store = filepath.Join(dir, "store")
	s, err := tstore.Init(ctx, f.store, nil)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	for i, path := range []*string{&f.a, &f.b, &f.c} {
		name := string(rune('a' + i))
		if *path, err = create(ctx, s, name, uint64(i), c.side, c.side); err != nil {
			return f, err
		}
	}

	for i, name := range []string{"p", "q"} {
		if _, err = create(ctx, s, name, uint64(10+i), 1, 1000); err != nil {
			return f, err
		}
	}

	if c.cold && c.rows.MatchString(coldRow) {
		f.x, err = create(ctx, s, "x", 3, coldFactor*c.side, c.side)
	}

	return f, err
}

// create makes a tensor and returns the path of its storage.
func create(ctx context.Context, s *tstore.Store, name string, seed uint64, rows, columns int) (string, error) {
	spec := tstore.Spec{DType: dtype.Float32, Shape: []int{rows, columns}}
	size, err := spec.NumBytes()
	if err != nil {
		return "", err
	}

	data := io.LimitReader(&elements{random: rand.NewPCG(seed, 0)}, size)
	if err := s.Create(ctx, name, tstore.Source{Spec: spec, Data: data}); err != nil {
		return "", err
	}

	t, err := s.Get(ctx, name)
	if err != nil {
		return "", err
	}

	path := t.Storage().Path()
	if path == "" {
		err = fmt.Errorf("%q has no file", name)
	}
	return path, errors.Join(err, t.Close())
}

// elements yields random float32 from 0.5 to 2 whose bytes are finite and moderate numbers also as
// float64, float16, bfloat16 and int32.
type elements struct {
	random *rand.PCG
	pair   [8]byte
	rest   []byte // of pair, not yet read
}

func (e *elements) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(e.rest) == 0 {
			// each from 0x3f003000 to 0x3fff3fff
			binary.LittleEndian.PutUint64(e.pair[:], e.random.Uint64()&0x00ff0fff_00ff0fff|0x3f003000_3f003000)
			e.rest = e.pair[:]
		}
		copied := copy(p[n:], e.rest)
		e.rest = e.rest[copied:]
		n += copied
	}
	return n, nil
}
