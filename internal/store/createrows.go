package store

import (
	"errors"
	"io"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/storefile"
)

// WriteRows stores a tensor of the rows that next yields until io.EOF, in a file of its own, and
// returns the record that will name it. sp describes it; the length of its first axis is not looked
// at.
func (tx *Tx) WriteRows(name string, sp Spec, seal bool, next func() (Source, error)) (*catalog.Record, error) {
	if tx.ended {
		return nil, errEnded
	}
	sp = sp.Clone()
	if len(sp.Shape) == 0 {
		return nil, errors.New("expected a shape with a first axis, along which rows follow one another, found ()")
	}
	sp.Shape[0], sp.Order = 0, RowMajor
	rec, _, _, err := sp.Record(name)
	if err != nil {
		return nil, err
	}

	st, err := tx.newFile(rec, sp, 0)
	if err != nil {
		return nil, err
	}
	if seal {
		st.Sums = blocksum.NewCollector(st.Storage.ID, 0)
	}

	first, err := next()
	if errors.Is(err, io.EOF) {
		return rec, tx.seal(st)
	}
	if err != nil {
		return nil, err
	}

	return rec, tx.addRows(rec, st, 0, sp, &newRows{first: first, next: next})
}

// addRows writes rows behind the n bytes of a tensor in a staged file, and completes its record,
// file and seal.
func (tx *Tx) addRows(rec *catalog.Record, st *engine.Staged, n int64, to Spec, rows *newRows) error {
	// Only when all rows have come is the shape known, which the header and the record have.
	grown, err := rows.write(tx.Ctx, st.File, storefile.HeaderBytes+n, to, engine.Tee(st.Sums, storefile.HeaderBytes))
	if err != nil {
		return err
	}
	l, err := grown.Layout()
	if err != nil {
		return err
	}
	if st.Storage.PayloadBytes, err = grown.NumBytes(); err != nil {
		return err
	}
	record.SetLayout(rec, l)
	st.Header.Shape = grown.Shape
	return tx.seal(st)
}
