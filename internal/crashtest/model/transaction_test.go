package model

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/tstore/tstore"
)

// openTx is a transaction that is at work in a goroutine, and does steps as it is given them.
type openTx struct {
	ask   chan step
	told  chan error
	ended chan error
	// steps are those that had no error, failed says that others had one. since is the number of
	// commits of others at its beginning.
	steps  []step
	failed bool
	since  int
}

var errAbort = errors.New("aborted")

// beginTx starts a transaction.
func beginTx(ctx context.Context, s *tstore.Store, files string, since int) *openTx {
	tx := &openTx{ask: make(chan step), told: make(chan error), ended: make(chan error, 1), since: since}
	go func() {
		tx.ended <- s.Update(ctx, func(in *tstore.Tx) error {
			for st := range tx.ask {
				if st.Do == "abort" {
					return errAbort
				}
				tx.told <- do(ctx, in.Store(), st, files)
			}
			return nil
		})
	}()
	return tx
}

// do does a step in the transaction.
func (tx *openTx) do(st step) error {
	tx.ask <- st
	err := <-tx.told
	if err == nil {
		tx.steps = append(tx.steps, st)
	}
	tx.failed = tx.failed || err != nil
	return err
}

// end commits or aborts, and returns what Update said.
func (tx *openTx) end(commit bool) error {
	if !commit {
		tx.ask <- step{Do: "abort"}
	}
	close(tx.ask)
	return <-tx.ended
}

func (w *world) nextTx() int {
	w.begun++
	return w.begun
}

// anyTx is the number of an open transaction, 0 if there is none.
func (w *world) anyTx(rng *rand.Rand) int {
	if len(w.txs) == 0 {
		return 0
	}
	return oneOf(rng, slices.Sorted(maps.Keys(w.txs)))
}
