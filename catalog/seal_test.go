package catalog_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tstore/tstore/catalog"
)

// sealed is a storage of so many blocks with a seal.
func sealed(blocks int, file uint64) catalog.Storage {
	s := storage()
	s.PayloadBytes = int64(blocks)*65536 - 5
	sums := make([]uint64, blocks)
	for i := range sums {
		sums[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	s.Seal = catalog.NewSeal(s.PayloadBytes, sums, file)
	return s
}

func TestSealRoundTrip(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	for name, s := range map[string]catalog.Storage{"few": sealed(3, 9), "most": sealed(catalog.MaxInlineSums, 9), "many": sealed(catalog.MaxInlineSums+1, 9)} {
		update(t, c, func(tx *catalog.Tx) error { return errors.Join(tx.PutStorage(s), tx.Put(tensor(name, s.ID))) })
		e, err := open(t, dir, nil).Lookup(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, name, e.Storage.Seal, s.Seal)
		if inFile := s.Seal.File != 0; inFile != (name == "many") || inFile == (len(s.Seal.Sums) > 0) {
			t.Errorf("%s: sums in a file: %t, in the seal: %d", name, inFile, len(s.Seal.Sums))
		}
	}
}

func TestSealErrors(t *testing.T) {
	c := create(t, nil)
	for name, spoil := range map[string]func(*catalog.Storage){
		"length":       func(s *catalog.Storage) { s.PayloadBytes++ },
		"missing sum":  func(s *catalog.Storage) { s.Seal.Sums = s.Seal.Sums[:2] },
		"sums twice":   func(s *catalog.Storage) { s.Seal.File = 7 },
		"dirty":        func(s *catalog.Storage) { s.State = catalog.Dirty },
		"patching":     func(s *catalog.Storage) { s.State = catalog.Patching },
		"no sums":      func(s *catalog.Storage) { s.Seal.Sums = nil },
		"far too long": func(s *catalog.Storage) { s.PayloadBytes, s.Seal.PayloadBytes = 1<<60, 1<<60 },
	} {
		s := sealed(3, 9)
		spoil(&s)
		err := c.Update(context.Background(), func(tx *catalog.Tx) error { return tx.PutStorage(s) })
		if !errors.Is(err, catalog.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

func TestSumsFilesGoToTheTrash(t *testing.T) {
	c := create(t, nil)
	s := sealed(100, 1)
	trash := func() (files []string) {
		view(t, c, func(tx *catalog.Tx) error { files = trashFiles(t, tx); return nil })
		return files
	}
	put := func() { t.Helper(); update(t, c, func(tx *catalog.Tx) error { return tx.PutStorage(s) }) }
	update(t, c, func(tx *catalog.Tx) error { return errors.Join(tx.PutStorage(s), tx.Put(tensor("a", s.ID))) })
	mustEqual(t, "trash of a new storage", trash(), nil)

	first := s.SumsFile()
	grown := *s.Seal
	grown.File = 2
	s.Seal = &grown
	put()
	mustEqual(t, "trash after other sums", trash(), []string{first})

	second := s.SumsFile()
	s.Seal = nil
	put()
	mustEqual(t, "trash after the seal is gone", trash(), []string{first, second})

	s.Seal = &grown
	put()
	mustEqual(t, "trash after the seal is back", trash(), []string{first})
	update(t, c, func(tx *catalog.Tx) error { return tx.Delete("a") })
	mustEqual(t, "trash after the storage is gone", trash(), []string{first, second, s.File()})
}

func TestSumsFile(t *testing.T) {
	id, err := catalog.ParseID("ab0102030405060708090a0b0c0d0e0f")
	if err != nil {
		t.Fatal(err)
	}
	s := catalog.Storage{ID: id, Seal: &catalog.Seal{File: 7}}
	mustEqual(t, "generation 0", s.SumsFile(), "storages/ab/ab0102030405060708090a0b0c0d0e0f.7.sums")
	s.Gen = 3
	mustEqual(t, "generation 3", s.OwnFiles(), []string{s.File(), "storages/ab/ab0102030405060708090a0b0c0d0e0f.3.7.sums"})
	s.Adopted, s.Path = true, "/x"
	mustEqual(t, "adopted", s.OwnFiles(), []string{"storages/ab/ab0102030405060708090a0b0c0d0e0f.3.7.sums"})
	s.Seal = &catalog.Seal{}
	mustEqual(t, "in the catalog", s.OwnFiles(), nil)
}
