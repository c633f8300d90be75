package tstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
)

// TestEmptyFoldersLeftOut opens stores that were copied without their empty folders.
func TestEmptyFoldersLeftOut(t *testing.T) {
	for name, use := range map[string]func(t *testing.T, dir string){
		"writing": func(t *testing.T, dir string) {
			s := openStore(t, dir)
			create(t, s, "x", source(t, 0, 100_000))
			must(t, s.Fill(t.Context(), "x", scalar(t, 1)))
			wantNoLeftovers(t, s)
		},
		"reading": func(t *testing.T, dir string) {
			s, err := tstore.Open(t.Context(), dir, &tstore.Options{ReadOnly: true})
			must(t, err)
			found, err := s.Check(t.Context())
			if err := errors.Join(err, s.Close()); err != nil || len(found) > 0 {
				t.Errorf("%v, %v", found, err)
			}
		},
		"salvage": func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, "storages"), 0o755))
			_, err := tstore.Salvage(t.Context(), dir, nil)
			must(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			must(t, s.Close())
			must(t, errors.Join(os.Remove(filepath.Join(s.Dir(), "tmp")), os.Remove(filepath.Join(s.Dir(), "storages"))))
			use(t, s.Dir())
		})
	}
}
