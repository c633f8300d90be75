package catalog_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

func importJob(name string) catalog.Job {
	return catalog.Job{
		Record: catalog.Record{Name: name, Storage: catalog.NewID(), DType: dtype.Int8, Shape: []int64{9}, Strides: []int64{1}},
		Total:  9, From: catalog.JobFile{Path: "/there.npy"},
	}
}

// TestJobs uses jobs in a catalog that was made before there were any.
func TestJobs(t *testing.T) {
	dir := t.TempDir()
	c, err := catalog.Create(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(filepath.Join(dir, "catalog.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("jobs")) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if c, err = catalog.Open(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	a, b := importJob("a"), importJob("b")
	update := func(fn func(tx *catalog.Tx) error) {
		t.Helper()
		if err := c.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx *catalog.Tx) error {
		if list, err := tx.Jobs(); err != nil || len(list) != 0 {
			t.Errorf("jobs of a catalog without the bucket: %v, %v", list, err)
		}
		return errors.Join(tx.PutJob(a), tx.PutJob(b))
	})
	a.Done = 5
	update(func(tx *catalog.Tx) error {
		return errors.Join(tx.PutJob(a), tx.DropJob(b.ID()), tx.DropJob(catalog.NewID()))
	})
	err = c.View(t.Context(), func(tx *catalog.Tx) error {
		list, err := tx.Jobs()
		if err != nil || len(list) != 1 || list[0].Done != 5 || list[0].Record.Name != "a" || list[0].Updated.IsZero() {
			t.Errorf("jobs: %+v, %v", list, err)
		}
		if _, err := tx.Job(b.ID()); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("a dropped job: %v", err)
		}
		there, err := tx.HasJob(a.ID())
		if err != nil || !there {
			t.Errorf("HasJob: %t, %v", there, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	bad := a
	bad.Done = 10
	if err := c.Update(t.Context(), func(tx *catalog.Tx) error { return tx.PutJob(bad) }); !errors.Is(err, catalog.ErrInvalid) {
		t.Errorf("more done than there is: %v", err)
	}
	if problems, err := c.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("check: %v, %v", problems, err)
	}
}

func TestCheckFindsBadJobs(t *testing.T) {
	dir := t.TempDir()
	c, err := catalog.Create(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	job := importJob("a")
	if err := c.Update(t.Context(), func(tx *catalog.Tx) error { return tx.PutJob(job) }); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(filepath.Join(dir, "catalog.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := job.ID()
	err = db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("jobs")).Put(id[:], []byte("nonsense")) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	problems, err := c.Check(t.Context())
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].String(), "jobs "+`"`+id.String()) {
		t.Errorf("check: %v, %v", problems, err)
	}
}
