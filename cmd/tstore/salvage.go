package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/tstore/tstore"
)

// salvageJSON is what a new catalog was made of.
type salvageJSON struct {
	Tensors []string          `json:"tensors"`
	Renamed map[string]string `json:"renamed"`
	Skipped map[string]string `json:"skipped"`
	// Doubts are files of which only the lost catalog knew whether they are right.
	Doubts map[string]string `json:"doubts"`
	// Snapshots are those that are there again.
	Snapshots []string `json:"snapshots"`
}

// salvage makes a new catalog for the store. It returns errFound if files could not be read.
func (a *app) salvage(ctx context.Context, asJSON bool) error {
	dir, err := a.findStore()
	if err != nil {
		return err
	}
	report, err := tstore.Salvage(ctx, dir, &tstore.SalvageOptions{LockTimeout: a.patience()})
	if err != nil {
		return err
	}
	if err := a.printSalvaged(report, asJSON); err != nil {
		return err
	}
	if len(report.Skipped) > 0 {
		return errFound
	}
	return nil
}

func (a *app) printSalvaged(r *tstore.SalvageReport, asJSON bool) error {
	if asJSON {
		return writeJSON(a.stdout, salvageJSON{Tensors: notNil(r.Tensors), Renamed: notNilMap(r.Renamed), Skipped: notNilMap(r.Skipped), Doubts: notNilMap(r.Doubts), Snapshots: notNil(r.Snapshots)})
	}

	for _, name := range sortedKeys(r.Renamed) {
		if _, err := fmt.Fprintf(a.stdout, "renamed: %q was %q, which was taken or no name\n", name, r.Renamed[name]); err != nil {
			return err
		}
	}

	for _, file := range sortedKeys(r.Skipped) {
		if _, err := fmt.Fprintf(a.stdout, "skipped: %s: %s\n", printable(file), printable(r.Skipped[file])); err != nil {
			return err
		}
	}

	for _, file := range sortedKeys(r.Doubts) {
		if _, err := fmt.Fprintf(a.stdout, "not known: %s: %s\n", printable(file), printable(strings.ReplaceAll(r.Doubts[file], "\n", "; "))); err != nil {
			return err
		}
	}

	for _, name := range r.Snapshots {
		if _, err := fmt.Fprintf(a.stdout, "snapshot: %s, as it was (tstore snapshot restore brings it back)\n", printable(name)); err != nil {
			return err
		}
	}

	_, err := fmt.Fprintf(a.stdout, "salvaged %s, skipped %s\n", plural(len(r.Tensors), "tensor"), plural(len(r.Skipped), "file"))
	return err
}

// notNilMap makes JSON say {} instead of null.
func notNilMap(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
