package tstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

// damaged is a store with one tensor "x" of its own file, damaged by harm.
func damaged(t *testing.T, harm func(t *testing.T, s *tstore.Store, file string)) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	create(t, s, "x", source(t, 0, 20_000))
	create(t, s, "fine", source(t, 0, 3))
	info, err := s.Stat(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	harm(t, s, filepath.Join(s.Dir(), filepath.FromSlash(info.Storage.File())))
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func editFile(t *testing.T, path string, off int64, b ...byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	_, err = f.WriteAt(b, off)
	must(t, err)
}

func TestCheckAndRepair(t *testing.T) {
	kinds := func(found []tstore.Problem) []tstore.ProblemKind {
		out := []tstore.ProblemKind{}
		for _, p := range found {
			out = append(out, p.Kind)
		}
		slices.Sort(out)
		return out
	}
	type k = tstore.ProblemKind
	tests := []struct {
		name  string
		harm  func(t *testing.T, s *tstore.Store, file string)
		want  []k
		after []k // what is left after repair
	}{
		{"sound", func(*testing.T, *tstore.Store, string) {}, []k{}, []k{}},
		{"missing file", func(t *testing.T, _ *tstore.Store, file string) { must(t, os.Remove(file)) },
			[]k{tstore.ProblemMissing}, []k{tstore.ProblemQuarantined}},
		{"folder for a file", func(t *testing.T, _ *tstore.Store, file string) {
			must(t, os.Remove(file))
			must(t, os.Mkdir(file, 0o755))
		}, []k{tstore.ProblemUnreadable}, []k{tstore.ProblemUnreadable}},
		{"short file", func(t *testing.T, _ *tstore.Store, file string) { must(t, os.Truncate(file, 5000)) },
			[]k{tstore.ProblemShort}, []k{tstore.ProblemQuarantined}},
		{"header byte", func(t *testing.T, _ *tstore.Store, file string) { editFile(t, file, 20, '#') },
			[]k{tstore.ProblemHeader}, []k{}},
		{"header magic", func(t *testing.T, _ *tstore.Store, file string) { editFile(t, file, 0, 0) },
			[]k{tstore.ProblemHeader}, []k{}},
		{"longer file", func(t *testing.T, _ *tstore.Store, file string) { must(t, os.Truncate(file, 1<<20)) },
			[]k{}, []k{}},
		{"orphan", func(t *testing.T, s *tstore.Store, _ string) {
			orphan := catalog.Storage{ID: catalog.NewID()}.File()
			path := filepath.Join(s.Dir(), filepath.FromSlash(orphan))
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			writeFile(t, path, "left by a dead writer")
		}, []k{tstore.ProblemOrphan}, []k{tstore.ProblemOrphan}},
		{"abandoned", func(t *testing.T, s *tstore.Store, _ string) {
			writeFile(t, filepath.Join(s.Dir(), "tmp", catalog.NewID().String()+".npy"), "left by a dead writer")
		}, []k{tstore.ProblemOrphan}, []k{tstore.ProblemOrphan}},
		{"foreign file", func(t *testing.T, s *tstore.Store, file string) {
			writeFile(t, filepath.Join(filepath.Dir(file), "notes.txt"), "mine")
		}, []k{tstore.ProblemUnknown}, []k{tstore.ProblemUnknown}},
		{"bounds", func(t *testing.T, s *tstore.Store, _ string) {
			must(t, tstore.EditRecord(t.Context(), s, "x", func(r *catalog.Record) { r.Shape[0] = 20_001 }))
		}, []k{tstore.ProblemBounds}, []k{tstore.ProblemBounds}},
		{"overflowing strides", func(t *testing.T, s *tstore.Store, _ string) {
			must(t, tstore.EditRecord(t.Context(), s, "x", func(r *catalog.Record) { r.Strides[0] = 1 << 62 }))
		}, []k{tstore.ProblemBounds}, []k{tstore.ProblemBounds}},
		{"negative reach", func(t *testing.T, s *tstore.Store, _ string) {
			must(t, tstore.EditRecord(t.Context(), s, "x", func(r *catalog.Record) { r.Strides[0] = -1 }))
		}, []k{tstore.ProblemBounds}, []k{tstore.ProblemBounds}},
		{"dirty", func(t *testing.T, s *tstore.Store, _ string) {
			must(t, tstore.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Dirty, "process 1 on here" }))
		}, []k{tstore.ProblemDirty}, []k{tstore.ProblemDirty}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := damaged(t, tt.harm)
			found, err := s.Check(t.Context())
			must(t, err)
			if diff := cmp.Diff(tt.want, kinds(found)); diff != "" {
				t.Errorf("check (-want +got):\n%s%+v", diff, found)
			}
			for range 2 {
				_, err = s.Repair(t.Context(), nil)
				must(t, err)
				found, err = s.Check(t.Context())
				must(t, err)
				if diff := cmp.Diff(tt.after, kinds(found)); diff != "" {
					t.Errorf("after repair (-want +got):\n%s%+v", diff, found)
				}
			}
			wantValues(t, s, "fine", 0, 1, 2)
			if x, err := s.Get(t.Context(), "x"); err == nil {
				defer x.Close()
				if got := elements(t, x.Tensor); !slices.Equal(got, upTo(20_000)) {
					t.Error("x opens, with other elements")
				}
			}
		})
	}
}

func TestQuarantineEnds(t *testing.T) {
	var kept []byte
	var path string
	s := damaged(t, func(t *testing.T, _ *tstore.Store, file string) {
		var err error
		path = file
		kept, err = os.ReadFile(file)
		must(t, err)
		must(t, os.Remove(file))
	})
	_, err := s.Repair(t.Context(), nil)
	must(t, err)
	if _, err := s.Get(t.Context(), "x"); err == nil {
		t.Error("a quarantined tensor opened")
	}
	must(t, os.WriteFile(path, kept, 0o644))
	_, err = s.Repair(t.Context(), nil)
	must(t, err)
	wantValues(t, s, "x[:3]", 0, 1, 2)
	wantSound(t, s.Dir())
}

func TestAcceptDirty(t *testing.T) {
	s := damaged(t, func(t *testing.T, s *tstore.Store, _ string) {
		must(t, tstore.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Dirty, "process 1 on here" }))
	})
	if _, err := s.Get(t.Context(), "x"); err == nil {
		t.Error("a dirty tensor opened unasked")
	}
	peek, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{AllowDirty: true})
	must(t, err)
	defer peek.Close()
	wantValues(t, peek, "x[:2]", 0, 1)
	_, err = s.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"x"}})
	must(t, err)
	wantValues(t, s, "x[:2]", 0, 1)
	wantSound(t, s.Dir())
}

func TestSalvage(t *testing.T) {
	s := newStore(t)
	create(t, s, "weather/t2m", source(t, 0, 30_000))
	big := source(t, 0, 200, 100)
	big.Order, big.Dims = tstore.ColumnMajor, []string{"lat", "lon"}
	create(t, s, "fortran", big)
	create(t, s, "häufig/☃", source(t, 5, 2))
	create(t, s, "log", source(t, 0, 1, 3))
	must(t, s.Append(t.Context(), "log", source(t, 3, 2, 3)))
	create(t, s, "bf", tstore.FromBytes(tstore.Spec{DType: dtype.BFloat16, Shape: []int{2}}, []byte{0x80, 0x3f, 0, 0x40}))
	must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
		for i := range 20 {
			must(t, tx.Create(fmt.Sprintf("small/%d", i), source(t, float64(i), 2)))
		}
		return nil
	}))
	must(t, s.View(t.Context(), "v", "log[0]"))
	for _, lost := range []string{"catalog.db", "STORE"} {
		must(t, os.Remove(filepath.Join(s.Dir(), lost)))
	}
	must(t, s.Close())

	report, err := tstore.Salvage(t.Context(), s.Dir())
	must(t, err)
	if len(report.Tensors) != 25 || len(report.Skipped) != 0 || len(report.Renamed) != 0 {
		t.Errorf("salvaged %+v", report)
	}
	again, err := tstore.Open(t.Context(), s.Dir(), nil)
	must(t, err)
	defer again.Close()
	wantValues(t, again, "weather/t2m", upTo(30_000)...)
	wantValues(t, again, "fortran[3, :2]", 3, 203)
	wantValues(t, again, "häufig/☃", 5, 6)
	wantValues(t, again, "log", upTo(9)...)
	wantValues(t, again, "bf", 1, 2)
	wantValues(t, again, "small/19", 19, 20)
	info, err := again.Stat(t.Context(), "fortran")
	must(t, err)
	if diff := cmp.Diff([]string{"lat", "lon"}, info.Dims()); diff != "" {
		t.Error(diff)
	}
}

func TestSalvageOfReplacedAndBrokenFiles(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 20_000))
	keep, err := os.ReadFile(onlyStorage(t, s.Dir()))
	must(t, err)
	old := onlyStorage(t, s.Dir())
	must(t, s.Replace(t.Context(), "x", source(t, 1, 20_000)))
	must(t, os.WriteFile(old, keep, 0o644))
	short := catalog.Storage{ID: catalog.NewID()}.File()
	must(t, os.MkdirAll(filepath.Join(s.Dir(), filepath.Dir(short)), 0o755))
	must(t, os.WriteFile(filepath.Join(s.Dir(), short), keep[:5000], 0o644))

	report, err := tstore.Salvage(t.Context(), s.Dir())
	must(t, err)
	if len(report.Tensors) != 2 || len(report.Renamed) != 1 || len(report.Skipped) != 1 {
		t.Errorf("salvaged %+v", report)
	}
	again, err := tstore.Open(t.Context(), s.Dir(), nil)
	must(t, err)
	defer again.Close()
	wantValues(t, again, "x[:2]", 1, 2)
	for name := range report.Renamed {
		wantValues(t, again, name+"[:2]", 0, 1)
	}
	must(t, os.Remove(filepath.Join(s.Dir(), short)))
}

func onlyStorage(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "storages", "*", "*.npy"))
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("found %d storage files", len(files))
	}
	return files[0]
}

// TestQuarantineKeepsTheState: a storage comes back from quarantine as
// unfinished as it went.
func TestQuarantineKeepsTheState(t *testing.T) {
	for _, state := range []catalog.State{catalog.Dirty, catalog.Patching} {
		t.Run(state.String(), func(t *testing.T) {
			var file string
			s := damaged(t, func(t *testing.T, s *tstore.Store, path string) {
				file = path
				must(t, tstore.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = state, "process 1 on here" }))
				if state == catalog.Patching {
					must(t, tstore.PutPatch(t.Context(), s, "x", catalog.Patch{Offset: 8, Bytes: make([]byte, 8)}))
				}
				must(t, os.Rename(path, path+".away"))
			})
			_, err := s.Repair(t.Context(), nil)
			must(t, err)
			must(t, os.Rename(file+".away", file))
			_, err = s.Repair(t.Context(), nil)
			must(t, err)
			if state == catalog.Patching {
				wantValues(t, s, "x[:3]", 0, 0, 2)
				return
			}
			if _, err := s.Get(t.Context(), "x"); !errors.Is(err, tstore.ErrDirty) {
				t.Errorf("the storage was dirty, opening it: %v", err)
			}
		})
	}
}

// TestGCKeepsWhatADamagedCatalogLost damages the key of a storage, which then
// seems to be nobody's.
func TestGCKeepsWhatADamagedCatalogLost(t *testing.T) {
	s := damaged(t, func(*testing.T, *tstore.Store, string) {})
	id := stat(t, s, "x").Storage.ID
	path := filepath.Join(s.Dir(), "catalog.db")
	b, err := os.ReadFile(path)
	must(t, err)
	for at := bytes.Index(b, id[:]); at >= 0; at = bytes.Index(b, id[:]) {
		b[at+15] ^= 1
	}
	must(t, os.WriteFile(path, b, 0o644))
	if found, err := s.GC(t.Context(), nil); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("gc removed %v, %v", found, err)
	}
	if n := storageFiles(t, s.Dir()); n != 2 {
		t.Errorf("%d storage files are left", n)
	}
}

// TestOnlyUnusedStorageFilesAreRemoved forges the trash list, and puts copies
// of storage files where they don't belong.
func TestOnlyUnusedStorageFilesAreRemoved(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 20_000))
	file := stat(t, s, "x").Storage.File()
	must(t, tstore.Queue(t.Context(), s, "STORE", file))
	must(t, s.PutBlob(t.Context(), "b", catalog.IntValue(1)))
	backup := filepath.Join(s.Dir(), "storages", "backup", filepath.Base(file))
	must(t, os.Mkdir(filepath.Dir(backup), 0o755))
	must(t, os.WriteFile(backup, []byte("kept"), 0o644))
	found, err := s.GC(t.Context(), nil)
	must(t, err)
	if len(found) > 0 {
		t.Errorf("gc removed %v", found)
	}
	for _, path := range []string{filepath.Join(s.Dir(), "STORE"), filepath.Join(s.Dir(), file), backup} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	report, err := tstore.Salvage(t.Context(), s.Dir())
	must(t, err)
	if len(report.Tensors) != 1 || len(report.Skipped) != 1 {
		t.Errorf("salvaged %+v", report)
	}
}

// TestSalvageOfSharedNames: of the tensors of one transaction and one name the
// last one gets it, and a tensor named as the group for the others is no
// obstacle.
func TestSalvageOfSharedNames(t *testing.T) {
	s := newStore(t)
	must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(tx.Create("a", source(t, 1, 1)), tx.Replace("a", source(t, 2, 1)),
			tx.Replace("a", source(t, 3, 1)), tx.Replace("a", source(t, 4, 1)))
	}))
	create(t, s, "salvaged", source(t, 0, 1))
	report, err := tstore.Salvage(t.Context(), s.Dir())
	must(t, err)
	if len(report.Tensors) != 5 || len(report.Renamed) != 3 {
		t.Errorf("salvaged %+v", report)
	}
	wantValues(t, s, "a", 4)
	wantValues(t, s, "salvaged", 0)
}

// TestGCByTheCatalogOfAnotherStore puts one store's catalog into the folder of
// another that is open.
func TestGCByTheCatalogOfAnotherStore(t *testing.T) {
	s := damaged(t, func(*testing.T, *tstore.Store, string) {})
	other := newStore(t)
	b, err := os.ReadFile(filepath.Join(other.Dir(), "catalog.db"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(s.Dir(), "catalog.db"), b, 0o644))
	if found, err := s.GC(t.Context(), nil); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("gc removed %v, %v", found, err)
	}
	if err := s.PutBlob(t.Context(), "b", catalog.IntValue(1)); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("a change of another store's catalog: %v", err)
	}
}

// TestReadersSeeWholePatches lets many readers meet the patch of a dead writer.
func TestReadersSeeWholePatches(t *testing.T) {
	for range 5 {
		s := newStore(t)
		create(t, s, "x", source(t, 1, 20_000))
		must(t, tstore.PutPatch(t.Context(), s, "x", catalog.Patch{Bytes: make([]byte, 1<<10)}))
		must(t, tstore.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Patching, "process 1 on here" }))
		var readers errgroup.Group
		for range 8 {
			readers.Go(func() error {
				own, err := tstore.Open(t.Context(), s.Dir(), nil)
				if err != nil {
					return err
				}
				x, err := own.Get(t.Context(), "x")
				if err != nil {
					return errors.Join(err, own.Close())
				}
				v, err := x.Get(0)
				if err == nil && !v.IsZero() {
					err = fmt.Errorf("read %v before the patch was applied", v)
				}
				return errors.Join(err, x.Close(), own.Close())
			})
		}
		must(t, readers.Wait())
		if n := stat(t, s, "x").Storage.Changes; n != 1 {
			t.Errorf("the patch was counted %d times", n)
		}
	}
}

// TestWritingToDirty writes in place to part of a tensor that is half written:
// that finishes nothing.
func TestWritingToDirty(t *testing.T) {
	const writer = "process 1 on here"
	s := damaged(t, func(t *testing.T, s *tstore.Store, _ string) {
		must(t, tstore.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Dirty, writer }))
	})
	if _, err := s.OpenWritable(t.Context(), "x"); !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("without leave: got %v, want ErrDirty", err)
	}
	daring, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{AllowDirty: true})
	must(t, err)
	defer daring.Close()
	w, err := daring.OpenWritable(t.Context(), "x[:1]")
	must(t, err)
	must(t, errors.Join(w.Set(scalar(t, 5), 0), w.Close()))
	if st := stat(t, s, "x").Storage; st.State != catalog.Dirty || st.Writer != writer {
		t.Errorf("the storage is %v, written by %q: want it dirty, by %q", st.State, st.Writer, writer)
	}
	_, err = s.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"x"}})
	must(t, err)
	wantValues(t, s, "x[:2]", 5, 1)
}

func TestInitErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	if _, err := tstore.Init(t.Context(), dir, &tstore.Options{LockTimeout: -1}); err == nil || !strings.Contains(err.Error(), "lock timeout -1ns") {
		t.Errorf("got %v, want an error about the lock timeout", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}
