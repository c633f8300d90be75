package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tstore/tstore"
)

// appendBatches adds rows and commits every size of them. An error says how many are there.
func appendBatches(ctx context.Context, s *tstore.Store, info *tstore.Info, next func() (tstore.Source, error), size int) error {
	b := &batches{from: next, rank: len(info.Record.Shape)}
	done := 0
	for !b.ended {
		b.room = size
		if err := s.AppendAll(ctx, info.Record.Name, b.next); err != nil {
			if done > 0 {
				err = errors.Join(err, fmt.Errorf("appended before that: %s", plural(done, "row")))
			}
			return err
		}
		done += size - b.room
	}
	return nil
}

// batches cuts sources into batches of rows.
type batches struct {
	from func() (tstore.Source, error)
	// rank is that of the tensor: a source of less is one row.
	rank int
	// room is how many rows fit into the batch at hand.
	room int
	// rest is what is left of a source that did not fit.
	rest  *tstore.Source
	ended bool
}

// next yields the sources of a batch, then io.EOF.
func (b *batches) next() (tstore.Source, error) {
	if b.room <= 0 {
		return tstore.Source{}, io.EOF
	}
	if b.rest == nil {
		src, err := b.from()
		b.ended = err != nil
		if err != nil {
			return src, err
		}
		b.rest = &src
	}

	// What has no rows to cut is taken as it is: one row, or columns that lie one after another.
	src := *b.rest
	rows := 1
	if len(src.Shape) == b.rank && b.rank > 0 {
		rows = src.Shape[0]
	}
	if rows <= b.room || src.Order == tstore.ColumnMajor {
		b.rest = nil
		b.room -= rows
		return src, nil
	}

	part := src
	part.Shape, src.Shape = slices.Clone(src.Shape), slices.Clone(src.Shape)
	part.Shape[0] = b.room
	src.Shape[0] -= b.room
	n, err := part.NumBytes()
	if err != nil {
		return part, err
	}
	if src.Data != nil {
		part.Data = io.LimitReader(src.Data, n)
	}
	b.rest, b.room = &src, 0
	return part, nil
}
