package backup_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/storetest"
)

// TestHostileTars refuses tars that nobody but an attacker makes, and writes nothing outside of the
// new folder.
func TestHostileTars(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	var whole bytes.Buffer
	if _, err := s.BackupTo(t.Context(), &whole, nil); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(h *tar.Header, w *tar.Writer) bool{
		"a name that leads out":     func(h *tar.Header, _ *tar.Writer) bool { h.Name = "tstore-backup/../../out"; return true },
		"an absolute name":          func(h *tar.Header, _ *tar.Writer) bool { h.Name = filepath.Join(os.TempDir(), "out"); return true },
		"a name that is not listed": func(h *tar.Header, _ *tar.Writer) bool { h.Name = "tstore-backup/out"; return true },
		"a link": func(h *tar.Header, _ *tar.Writer) bool {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, "/etc/passwd", 0
			return true
		},
		"a folder": func(h *tar.Header, _ *tar.Writer) bool { h.Typeflag, h.Size = tar.TypeDir, 0; return true },
		"a hard link": func(h *tar.Header, _ *tar.Writer) bool {
			h.Typeflag, h.Linkname, h.Size = tar.TypeLink, "x", 0
			return true
		},
		"a size":  func(h *tar.Header, _ *tar.Writer) bool { h.Size += 512; return true },
		"missing": func(*tar.Header, *tar.Writer) bool { return false },
		"twice": func(h *tar.Header, w *tar.Writer) bool {
			again := *h
			if err := w.WriteHeader(&again); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(make([]byte, h.Size)); err != nil {
				t.Fatal(err)
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			b := edited(t, whole.Bytes(), edit)
			_, err := tstore.Restore(t.Context(), []string{"-"}, filepath.Join(dir, "r"), &tstore.RestoreOptions{Stdin: bytes.NewReader(b)})
			if !errors.Is(err, tstore.ErrCorrupt) && !errors.Is(err, tstore.ErrTruncated) && !errors.Is(err, tstore.ErrChecksum) {
				t.Errorf("got %v", err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("left %v, %v", entries, err)
			}
		})
	}
}

// TestHostileFolders refuses folders whose manifest is forged: nothing outside of them is read,
// written or removed.
func TestHostileFolders(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "precious")
	storetest.WriteFile(t, outside, strings.Repeat("x", 100_000))
	for name, forge := range map[string]func(f *manifest.File){
		"a path that leads out": func(f *manifest.File) { f.Path = "../precious" },
		"one by a folder":       func(f *manifest.File) { f.Path = "storages/../../precious" },
		"an absolute path":      func(f *manifest.File) { f.Path = outside },
		"the lock":              func(f *manifest.File) { f.Path = "lock" },
		"only an end":           func(f *manifest.File) { f.From = 4096 },
		"no checksums":          func(f *manifest.File) { f.Sums = nil },
		"too many checksums":    func(f *manifest.File) { f.Sums = append(slices.Clone(f.Sums), f.Sums...) },
		"more than it has":      func(f *manifest.File) { f.Size = 1 << 40 },
		"less than nothing":     func(f *manifest.File) { f.Size = -1 },
		"a header of terabytes": func(f *manifest.File) { f.Header = 1 << 62 },
		"a header of less":      func(f *manifest.File) { f.Header = -4096 },
		"from before its begin": func(f *manifest.File) { f.From = -4096 },
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
			dir := t.TempDir()
			dest := filepath.Join(dir, "b")
			report := storetest.Backup(t, s, dest, nil)
			file := filepath.Join(dest, "manifests", report.ID.String())
			f, err := os.Open(file)
			storetest.Must(t, err)
			whole, err := manifest.Decode(f)
			storetest.Must(t, errors.Join(err, f.Close()))
			storetest.WriteFile(t, filepath.Join(dir, "precious"), strings.Repeat("x", 100_000))
			storetest.Must(t, s.Append(t.Context(), "x", storetest.Source(t, 0, 9000)))
			forged := *whole
			forged.Files = slices.Clone(whole.Files)
			i := slices.IndexFunc(forged.Files, func(f manifest.File) bool { return strings.HasSuffix(f.Path, ".npy") })
			forge(&forged.Files[i])
			var text bytes.Buffer
			storetest.Must(t, forged.Encode(&text))
			storetest.WriteFile(t, file, text.String())
			before := storetest.Tree(t, dir)
			_, again := s.Backup(t.Context(), dest, nil)
			_, since := s.Backup(t.Context(), filepath.Join(dir, "b.tar"), &tstore.BackupOptions{Since: dest})
			_, restored := tstore.Restore(t.Context(), []string{dest}, filepath.Join(dir, "r"), nil)
			for what, err := range map[string]error{"a backup into it": again, "a tar since": since, "a restore": restored} {
				if !errors.Is(err, tstore.ErrCorrupt) && !errors.Is(err, manifest.ErrFormat) {
					t.Errorf("%s: got %v, expected ErrCorrupt or ErrFormat", what, err)
				}
			}
			if r, err := tstore.VerifyBackup(t.Context(), dest, nil); err == nil && len(r.Damage) == 0 {
				t.Error("verified")
			}
			if diff := cmp.Diff(before, storetest.Tree(t, dir)); diff != "" {
				t.Errorf("-before +after:\n%s", diff)
			}
		})
	}
}

// edited is a tar whose entry of data has another header, or is left out.
func edited(t *testing.T, b []byte, edit func(*tar.Header, *tar.Writer) bool) []byte {
	t.Helper()
	var out bytes.Buffer
	r, w := tar.NewReader(bytes.NewReader(b)), tar.NewWriter(&out)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		size := h.Size
		if strings.HasSuffix(h.Name, ".npy") && !edit(h, w) {
			continue
		}
		data := make([]byte, max(h.Size, size))
		if _, err := io.ReadFull(r, data[:size]); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data[:h.Size]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestRestoreNamesOfBackup brings back some names, in one transaction.
func TestRestoreNamesOfBackup(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	ctx := t.Context()
	want := storetest.Contents(t, s)
	dir := t.TempDir()
	for _, name := range []string{"b", "b.tar"} {
		source1 := filepath.Join(dir, name)
		storetest.Backup(t, s, source1, nil)
		err := errors.Join(
			s.Fill(ctx, "open", storetest.Scalar(t, 99)), s.DeleteAttr(ctx, "open", "unit"), s.Delete(ctx, "log", "view", "small/one", "lazy"),
			s.PutBlob(ctx, "blob", catalog.StringValue("other")), s.Replace(ctx, "sealed", storetest.Source(t, 0, 3)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.RestoreNames(ctx, []string{source1}, []string{"open", "nothing"}, nil); !errors.Is(err, tstore.ErrNotFound) {
			t.Errorf("a name that is not there: %v", err)
		}
		storetest.WantValues(t, s, "open[:2]", 99, 99)
		n, err := s.RestoreNames(ctx, []string{source1}, []string{"open", "log", "view", "small", "lazy", "blob", "sealed", "sparse"}, nil)
		if err != nil || n != 8 {
			t.Fatalf("%s: restored %d names, %v", name, n, err)
		}
		got := storetest.Contents(t, s)
		for _, name := range []string{"open", "open.unit", "log", "view", "small/one", "lazy", "blob", "sealed", "sparse"} {
			if got[name] != want[name] {
				t.Errorf("%s: %q, want %q", name, got[name], want[name])
			}
		}
		storetest.WantSealed(t, s, "sealed", true)
		if _, err := s.RestoreNames(ctx, []string{source1}, []string{"small/two@monday"}, nil); err != nil {
			t.Error(err)
		}
		storetest.WantValues(t, s, "small/two[:1]", 2)
		if err := s.Delete(ctx, "small/two"); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(s.Dir())); err != nil || len(entries) != 1 {
		t.Errorf("left over: %v, %v", entries, err)
	}
}
