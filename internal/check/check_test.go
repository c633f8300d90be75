package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

func editFile(t *testing.T, path string, off int64, b ...byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	storetest.Must(t, err)
	defer f.Close()
	_, err = f.WriteAt(b, off)
	storetest.Must(t, err)
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
		{"no elements, behind the last one", func(t *testing.T, s *tstore.Store, _ string) {
			storetest.Must(t, s.View(t.Context(), "none", "x.reshape(2, 100, 100)[1, 100:, 5:]"))
			storetest.Create(t, s, "empty", storetest.Source(t, 0, 2, 0, 3))
			storetest.Must(t, s.View(t.Context(), "reversed", "empty[::-1, :, ::-1]"))
		}, []k{}, []k{}},
		{"missing file", func(t *testing.T, _ *tstore.Store, file string) { storetest.Must(t, os.Remove(file)) },
			[]k{tstore.ProblemMissing}, []k{tstore.ProblemQuarantined}},
		{"folder for a file", func(t *testing.T, _ *tstore.Store, file string) {
			storetest.Must(t, os.Remove(file))
			storetest.Must(t, os.Mkdir(file, 0o755))
		}, []k{tstore.ProblemUnreadable}, []k{tstore.ProblemUnreadable}},
		{"short file", func(t *testing.T, _ *tstore.Store, file string) { storetest.Must(t, os.Truncate(file, 5000)) },
			[]k{tstore.ProblemShort}, []k{tstore.ProblemQuarantined}},
		{"header byte", func(t *testing.T, _ *tstore.Store, file string) { editFile(t, file, 20, '#') },
			[]k{tstore.ProblemHeader}, []k{}},
		{"header magic", func(t *testing.T, _ *tstore.Store, file string) { editFile(t, file, 0, 0) },
			[]k{tstore.ProblemHeader}, []k{}},
		{"longer file", func(t *testing.T, _ *tstore.Store, file string) { storetest.Must(t, os.Truncate(file, 1<<20)) },
			[]k{}, []k{}},
		{"orphan", func(t *testing.T, s *tstore.Store, _ string) {
			orphan := catalog.Storage{ID: catalog.NewID()}.File()
			path := filepath.Join(s.Dir(), filepath.FromSlash(orphan))
			storetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			storetest.WriteFile(t, path, "left by a dead writer")
		}, []k{tstore.ProblemOrphan}, []k{tstore.ProblemOrphan}},
		{"abandoned", func(t *testing.T, s *tstore.Store, _ string) {
			storetest.WriteFile(t, filepath.Join(s.Dir(), "tmp", catalog.NewID().String()+".npy"), "left by a dead writer")
		}, []k{tstore.ProblemOrphan}, []k{tstore.ProblemOrphan}},
		{"abandoned, of a name that only its maker had", func(t *testing.T, s *tstore.Store, _ string) {
			storetest.WriteFile(t, filepath.Join(s.Dir(), "tmp", catalog.NewID().String()+".1.npy.0123456789abcdef"), "left by a dead writer")
		}, []k{tstore.ProblemOrphan}, []k{tstore.ProblemOrphan}},
		{"mark under its first name", func(t *testing.T, s *tstore.Store, _ string) {
			storetest.Must(t, os.Link(filepath.Join(s.Dir(), "STORE"), filepath.Join(s.Dir(), "tmp", "STORE")))
		}, []k{tstore.ProblemOrphan}, []k{tstore.ProblemOrphan}},
		{"foreign file", func(t *testing.T, s *tstore.Store, file string) {
			storetest.WriteFile(t, filepath.Join(filepath.Dir(file), "notes.txt"), "mine")
		}, []k{tstore.ProblemUnknown}, []k{tstore.ProblemUnknown}},
		{"bounds", func(t *testing.T, s *tstore.Store, _ string) {
			storetest.Must(t, storetest.EditRecord(t.Context(), s, "x", func(r *catalog.Record) { r.Shape[0] = 20_001 }))
		}, []k{tstore.ProblemBounds}, []k{tstore.ProblemBounds}},
		{"overflowing strides", func(t *testing.T, s *tstore.Store, _ string) {
			storetest.Must(t, storetest.EditRecord(t.Context(), s, "x", func(r *catalog.Record) { r.Strides[0] = 1 << 62 }))
		}, []k{tstore.ProblemBounds}, []k{tstore.ProblemBounds}},
		{"negative reach", func(t *testing.T, s *tstore.Store, _ string) {
			storetest.Must(t, storetest.EditRecord(t.Context(), s, "x", func(r *catalog.Record) { r.Strides[0] = -1 }))
		}, []k{tstore.ProblemBounds}, []k{tstore.ProblemBounds}},
		{"interrupted change under an old header", func(t *testing.T, s *tstore.Store, file string) {
			editFile(t, file, 20, '#')
			var one [8]byte
			dtype.ScalarOf(1.0).Store(one[:])
			storetest.Must(t, storetest.PutPatch(t.Context(), s, "x", catalog.Patch{Offset: 8, Bytes: one[:]}))
			storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State = catalog.Patching }))
		}, []k{tstore.ProblemPatch}, []k{}},
		{"dirty", func(t *testing.T, s *tstore.Store, _ string) {
			storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Dirty, "process 1 on here" }))
		}, []k{tstore.ProblemDirty}, []k{tstore.ProblemDirty}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := storetest.Damaged(t, tt.harm)
			found, err := s.Check(t.Context())
			storetest.Must(t, err)
			if diff := cmp.Diff(tt.want, kinds(found)); diff != "" {
				t.Errorf("check (-want +got):\n%s%+v", diff, found)
			}
			for range 2 {
				_, err = s.Repair(t.Context(), nil)
				storetest.Must(t, err)
				found, err = s.Check(t.Context())
				storetest.Must(t, err)
				if diff := cmp.Diff(tt.after, kinds(found)); diff != "" {
					t.Errorf("after repair (-want +got):\n%s%+v", diff, found)
				}
			}
			storetest.WantValues(t, s, "fine", 0, 1, 2)
			if x, err := s.Get(t.Context(), "x"); err == nil {
				defer x.Close()
				if got := storetest.Elements(t, x.Tensor); !slices.Equal(got, storetest.UpTo(20_000)) {
					t.Error("x opens, with other elements")
				}
			}
		})
	}
}

// TestInterruptionIsNoDamage: what a killed append and a killed small change leave is told, and is
// no damage; a header that is damaged is.
func TestInterruptionIsNoDamage(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 100, 7))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 100))
	file := filepath.Join(s.Dir(), filepath.FromSlash(storetest.Stat(t, s, "x").Storage.File()))
	whole, err := os.ReadFile(file)
	storetest.Must(t, err)
	storetest.Must(t, s.Append(t.Context(), "x", storetest.Source(t, 700, 7)))
	storetest.Must(t, storetest.Overwrite(file, whole[:4096]))
	storetest.Must(t, storetest.Resized(file, 5000))
	storetest.Must(t, storetest.PutPatch(t.Context(), s, "y", catalog.Patch{Offset: 8, Bytes: make([]byte, 8)}))
	storetest.Must(t, storetest.EditStorage(t.Context(), s, "y", func(st *catalog.Storage) { st.State = catalog.Patching }))
	found := storetest.Problems(t, s.Dir())
	for _, p := range found {
		if !p.Harmless || !p.Repairable {
			t.Errorf("%s of %v: %s: want a note of what can be repaired", p.Kind, p.Names, p.Detail)
		}
	}
	if len(found) != 2 {
		t.Errorf("found %d problems, want those of the header and of the journal", len(found))
	}
	storetest.Must(t, storetest.Second(s.Repair(t.Context(), nil)))
	if left := storetest.Problems(t, s.Dir()); len(left) > 0 {
		t.Errorf("after repair there is %v", left)
	}
	storetest.WantValues(t, s, "x[-1]", 700, 701, 702, 703, 704, 705, 706)
	back := flipBit(t, file, 3000, 1)
	if found := storetest.Problems(t, s.Dir()); len(found) != 1 || found[0].Harmless {
		t.Errorf("a header with a wrong bit is %v, want a problem", found)
	}
	back()
}
