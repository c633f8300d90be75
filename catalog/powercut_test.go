package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/powercut"
)

// recordCatalog records what script does to a folder, and marks its end with 1.
func recordCatalog(t *testing.T, dir string, script func(fsys fsx.FS) error) *powercut.Log {
	t.Helper()
	r, err := powercut.Record(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	faulty := fsx.NewFaulty(fsx.OS)
	faulty.FailIf(r.Before)
	if err := script(faulty); err != nil {
		t.Fatal(err)
	}
	r.Mark(1)
	log, err := r.Log()
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// cutCatalog looks at some states after each event, until one is wrong.
func cutCatalog(t *testing.T, log *powercut.Log, look func(dir string, mark int) error) (images int, wrong error) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	root := t.TempDir()
	_ = log.Cuts(func(c *powercut.Cut) error {
		for i := 0; i < 8 && wrong == nil; i++ {
			dir := filepath.Join(root, fmt.Sprint(images))
			if err := c.Write(dir, rng, []float64{0, 1, 0.5, 0.9}[i%4]); err != nil {
				t.Fatal(err)
			}
			images++
			wrong = look(dir, c.Mark)
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		return wrong
	})
	return images, wrong
}

// wantCut expects that no state of a log is wrong, and that one is of each spoilt log.
func wantCut(t *testing.T, log *powercut.Log, look func(dir string, mark int) error, spoilt map[string]*powercut.Log) {
	t.Helper()
	images, wrong := cutCatalog(t, log, look)
	if wrong != nil {
		t.Fatal(wrong)
	}
	t.Logf("%d events, looked at %d states", log.Len(), images)
	for name, log := range spoilt {
		if _, wrong := cutCatalog(t, log, look); wrong == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}

// quick opens what is thrown away.
var quick = &catalog.Options{NoSync: true}

func isDirSync(e powercut.Event) bool { return e.Kind == powercut.SyncDir }

// TestPowerCutWhileCreated: a catalog is there in full or not at all, and then it can be made.
func TestPowerCutWhileCreated(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	log := recordCatalog(t, dir, func(fsys fsx.FS) error { return catalog.CreateOn(ctx, dir, fsys) })
	look := func(dir string, mark int) error {
		c, err := catalog.Open(ctx, dir, quick)
		if errors.Is(err, catalog.ErrNotCatalog) && mark == 0 {
			c, err = catalog.Create(ctx, dir, quick)
		}
		return useUp(ctx, c, err)
	}
	wantCut(t, log, look, map[string]*powercut.Log{
		"no sync of the file":   log.Without(powercut.Event.IsDataSync),
		"no sync of the folder": log.Without(isDirSync),
	})
}

// useUp writes to a catalog that was opened, checks and closes it.
func useUp(ctx context.Context, c *catalog.Catalog, err error) error {
	if err != nil {
		return err
	}
	err = c.Update(ctx, func(tx *catalog.Tx) error { return tx.Put(blob("later", "text")) })
	if err == nil {
		err = c.View(ctx, func(tx *catalog.Tx) error { _, err := tx.Get("later"); return err })
	}
	return errors.Join(err, c.Close())
}

// TestPowerCutWhileCompacted: the catalog has all names at any time.
func TestPowerCutWhileCompacted(t *testing.T) {
	ctx := t.Context()
	c, dir := createIn(t, t.TempDir(), nil)
	const n = 300
	for i := range 3 {
		err := c.Update(ctx, func(tx *catalog.Tx) error {
			for j := range n {
				if err := tx.Put(blob(fmt.Sprintf("n/%d/%d", i%2, j), fmt.Sprint(i))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	log := recordCatalog(t, dir, func(fsys fsx.FS) error { return catalog.CompactOn(ctx, c, fsys) })
	look := func(dir string, _ int) error {
		c, err := catalog.Open(ctx, dir, quick)
		if err != nil {
			return err
		}
		err = c.View(ctx, func(tx *catalog.Tx) error {
			items, err := tx.List("n", "", true, 3*n)
			if err == nil && len(items) != 2*n {
				err = fmt.Errorf("found %d names, expected %d", len(items), 2*n)
			}
			return err
		})
		return useUp(ctx, c, err)
	}
	wantCut(t, log, look, map[string]*powercut.Log{"no sync of the file": log.Without(powercut.Event.IsDataSync)})
}

// TestPowerCutWhileInstalled gives a folder its first catalog, as that of a backup, and then
// another one: it has the one before or the one after, whole, and the last when that was
// acknowledged.
func TestPowerCutWhileInstalled(t *testing.T) {
	ctx := t.Context()
	from, source := createIn(t, t.TempDir(), nil)
	addTensors(t, from, "a", "b", "gone")
	snap := snapshot(t, from, source, "monday")
	rewritten := func(dir, text string) string {
		file := filepath.Join(dir, text)
		_, _, err := catalog.Rewrite(ctx, filepath.Join(source, snap.File()), file, func(tx *catalog.Tx) error {
			return errors.Join(tx.MarkBackup(catalog.Backup{ID: catalog.NewID(), Seq: 1}), tx.Put(blob("which", text)), tx.Delete("gone"))
		})
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, had := range map[string]string{"the first": "", "another": "old"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if had != "" {
				if err := catalog.Install(ctx, dir, rewritten(dir, had), nil); err != nil {
					t.Fatal(err)
				}
			}
			made, err := os.ReadFile(rewritten(t.TempDir(), "new"))
			if err != nil {
				t.Fatal(err)
			}
			log := recordCatalog(t, dir, func(fsys fsx.FS) error {
				f, err := fsys.OpenFile(filepath.Join(dir, "new"), os.O_RDWR|os.O_CREATE, 0o644)
				if err != nil {
					return err
				}
				_, err = f.WriteAt(made, 0)
				return errors.Join(err, f.Close(), catalog.InstallOn(ctx, dir, filepath.Join(dir, "new"), fsys))
			})
			look := func(dir string, mark int) error {
				c, err := catalog.Open(ctx, dir, quick)
				if errors.Is(err, catalog.ErrNotCatalog) && mark == 0 && had == "" {
					return nil
				}
				if err != nil {
					return err
				}
				err = c.View(ctx, func(tx *catalog.Tx) error {
					rec, err := tx.Get("which")
					if err == nil && rec.Blob.String() != "new" && (mark == 1 || rec.Blob.String() != had) {
						err = fmt.Errorf("found the catalog %q after mark %d", rec.Blob, mark)
					}
					if _, lost := tx.Get("a"); lost != nil {
						err = errors.Join(err, lost)
					}
					return err
				})
				return useUp(ctx, c, err)
			}
			wantCut(t, log, look, map[string]*powercut.Log{
				"no sync of the file":   log.Without(powercut.Event.IsDataSync),
				"no sync of the folder": log.Without(isDirSync),
			})
		})
	}
}
