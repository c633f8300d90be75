package catalog

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// Trashed is a file that no storage uses any more and that is still to be removed.
type Trashed struct {
	File string    // relative to the store, with slashes
	When time.Time // when it was queued, UTC
}

// Trash returns the queued files in order of their names.
func (tx *Tx) Trash() ([]Trashed, error) {
	var list []Trashed
	var fault error
	tx.trash.each(nil, func(key, value []byte) bool {
		t, err := tx.trashed(key, value)
		list = append(list, t)
		fault = err
		return err == nil
	}, func(err error) { fault = err })
	return list, fault
}

func (tx *Tx) trashed(key, value []byte) (Trashed, error) {
	message, err := tx.trash.open(key, value)
	if err != nil {
		return Trashed{}, err
	}
	t, err := decodeTrashed(string(key), message)
	return t, tx.trash.bad(key, err)
}

func decodeTrashed(file string, message []byte) (Trashed, error) {
	t := Trashed{File: file}
	if err := wire.Decode(message, &t, (*Trashed).fields); err != nil {
		return Trashed{}, err
	}
	return t, checkFile(file)
}

func (t *Trashed) fields(c *wire.Coder) { c.Time(1, &t.When) }

// Queue notes a file, relative to the store, for removal after the commit. Queuing it again changes
// nothing.
func (tx *Tx) Queue(file string) error {
	if err := tx.writing(); err != nil {
		return err
	}
	if err := checkFile(file); err != nil {
		return err
	}
	queued, err := tx.trash.has([]byte(file))
	if queued || err != nil {
		return err
	}
	return tx.trash.put([]byte(file), wire.Encode(&Trashed{When: tx.now}, (*Trashed).fields))
}

// QueuedHere reports whether a file was put on the list by this transaction, and not by an earlier
// one. Only what no snapshot holds is queued, but a list that was read can be damaged or forged.
func (tx *Tx) QueuedHere(file string) bool {
	c := tx.trash.changes.Get([]byte(file))
	return c != nil && c.Value != nil
}

func (tx *Tx) queueAll(files []string) error {
	var errs []error
	for _, file := range files {
		errs = append(errs, tx.Queue(file))
	}
	return errors.Join(errs...)
}

// without returns the files that are not among others.
func without(files, others []string) []string {
	return slices.DeleteFunc(files, func(file string) bool { return slices.Contains(others, file) })
}

// ClearTrash takes a file off the list, once it has been removed. A file that is not on it is no
// error.
func (tx *Tx) ClearTrash(file string) error {
	if err := tx.writing(); err != nil {
		return err
	}
	return tx.trash.del([]byte(file))
}

// checkFile makes sure that a file to be removed lies inside the store.
func checkFile(file string) error {
	if file == "" || len(file) > MaxNameBytes || !utf8.ValidString(file) || strings.ContainsAny(file, "\\\x00:") ||
		path.IsAbs(file) || path.Clean(file) != file || file == "." || file == ".." || strings.HasPrefix(file, "../") {
		return fmt.Errorf("%w file %q: expected a clean path inside the store", ErrInvalid, file)
	}
	return nil
}
