package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// TestEmptyFoldersLeftOut opens stores that were copied without their empty folders.
func TestEmptyFoldersLeftOut(t *testing.T) {
	for name, use := range map[string]func(t *testing.T, dir string){
		"writing": func(t *testing.T, dir string) {
			s := storetest.OpenStore(t, dir)
			storetest.Create(t, s, "x", storetest.Source(t, 0, 100_000))
			storetest.Must(t, s.Fill(t.Context(), "x", storetest.Scalar(t, 1)))
			storetest.WantNoLeftovers(t, s)
		},
		"reading": func(t *testing.T, dir string) {
			s, err := tstore.Open(t.Context(), dir, &tstore.Options{ReadOnly: true})
			storetest.Must(t, err)
			found, err := s.Check(t.Context())
			if err := errors.Join(err, s.Close()); err != nil || len(found) > 0 {
				t.Errorf("%v, %v", found, err)
			}
		},
		"salvage": func(t *testing.T, dir string) {
			storetest.Must(t, os.Mkdir(filepath.Join(dir, "storages"), 0o755))
			_, err := tstore.Salvage(t.Context(), dir, nil)
			storetest.Must(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Must(t, s.Close())
			storetest.Must(t, errors.Join(os.Remove(filepath.Join(s.Dir(), "tmp")), os.Remove(filepath.Join(s.Dir(), "storages"))))
			use(t, s.Dir())
		})
	}
}
