package tstore_test

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tstore/tstore"
)

// oldStore is a store that an earlier version of tstore has made; see testdata/stores/README.md.
type oldStore struct {
	dir string // has store, backup, backup.tar
	// tensors are the elements, in C order, that names must show, and shapes their dtypes and
	// shapes.
	tensors map[string][]float64
	shapes  map[string]string
	blobs   map[string]string
	jobs    map[string][]float64 // what jobs make that are to be resumed
}

// TestOldStores reads, verifies, changes, backs up and restores the stores that earlier versions
// have made: with -long all of them, else every second one, the oldest among them.
func TestOldStores(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/stores/*.tar.gz")
	must(t, err)
	if len(archives) == 0 {
		t.Fatal("there are no stores in testdata/stores")
	}
	for i := 0; i < len(archives); i += every(2) {
		archive := archives[i]
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), func(t *testing.T) {
			old := unpackStore(t, archive)
			s := openStore(t, filepath.Join(old.dir, "store"))
			old.check(t, s)
			wantSound(t, s.Dir()) // what killed programs have left in tmp/ does no harm
			old.resume(t, s)
			old.change(t, s)
			old.checkSound(t, s)
			old.backUp(t, s)
			old.check(t, openStore(t, s.Dir()))
		})
	}
}

// unpackStore unpacks an archive, and reads the file "want" in it.
func unpackStore(t *testing.T, archive string) *oldStore {
	f, err := os.Open(archive)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	old := &oldStore{dir: t.TempDir(), tensors: map[string][]float64{}, shapes: map[string]string{}, blobs: map[string]string{}, jobs: map[string][]float64{}}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		path := filepath.Join(old.dir, filepath.FromSlash(h.Name))
		if h.FileInfo().IsDir() {
			must(t, os.MkdirAll(path, 0o755))
			continue
		}
		to, err := os.Create(path)
		must(t, err)
		must(t, second(io.Copy(to, r)))
		must(t, to.Close())
	}
	want, err := os.Open(filepath.Join(old.dir, "want"))
	must(t, err)
	defer want.Close()
	for lines := bufio.NewScanner(want); lines.Scan(); {
		old.parse(t, lines.Text())
	}
	return old
}

// parse reads a line of want: a name, a dtype, a shape, and elements, "5*7" being 7 five times.
func (old *oldStore) parse(t *testing.T, line string) {
	words := strings.Fields(line)
	name, kind := words[0], words[1]
	if kind == "blob" {
		old.blobs[name] = strings.Join(words[3:], " ")
		return
	}
	elems := []float64{}
	for _, word := range words[3:] {
		count, value, many := strings.Cut(word, "*")
		if !many {
			count, value = "1", word
		}
		n, err := strconv.Atoi(count)
		must(t, err)
		v, err := strconv.ParseFloat(value, 64)
		must(t, err)
		elems = append(elems, slices.Repeat([]float64{v}, n)...)
	}
	if kind == "job" {
		old.jobs[name] = elems
		return
	}
	old.tensors[name], old.shapes[name] = elems, kind+" "+words[2]
}

// check compares all elements with what the version was given.
func (old *oldStore) check(t *testing.T, s *tstore.Store) {
	t.Helper()
	for name, want := range old.tensors {
		x, err := s.Evaluate(t.Context(), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if shape := fmt.Sprintf("%v %s", x.DType(), shapeOf(x.Shape())); shape != old.shapes[name] {
			t.Errorf("%s is %s, expected %s", name, shape, old.shapes[name])
		}
		if got := elements(t, x.Tensor); !slices.Equal(got, want) {
			t.Errorf("%s: elements differ: %.60v, expected %.60v", name, fmt.Sprint(got), fmt.Sprint(want))
		}
		x.Close()
	}
	for name, want := range old.blobs {
		if got, err := s.Blob(t.Context(), name); err != nil || fmt.Sprint(got.Any()) != want {
			t.Errorf("%s is %v, %v, expected %q", name, got.Any(), err, want)
		}
	}
}

func shapeOf(shape []int) string {
	if len(shape) == 0 {
		return "-"
	}
	text := make([]string, len(shape))
	for i, n := range shape {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}

// checkSound finds no damage, no file that nobody names, and all sums as they were.
func (old *oldStore) checkSound(t *testing.T, s *tstore.Store) {
	t.Helper()
	for _, p := range problems(t, s.Dir()) {
		t.Errorf("%s: %v %s: %s", p.Kind, p.Names, p.File, p.Detail)
	}
	report, err := s.Verify(t.Context(), nil)
	must(t, err)
	if len(report.Damage) > 0 {
		t.Errorf("verify found %v", report.Damage)
	}
}

// resume ends the jobs that were interrupted.
func (old *oldStore) resume(t *testing.T, s *tstore.Store) {
	jobs, err := s.Jobs(t.Context())
	must(t, err)
	if len(jobs) != len(old.jobs) {
		t.Errorf("%d jobs, expected %d", len(jobs), len(old.jobs))
	}
	for _, j := range jobs {
		must(t, s.ResumeJob(t.Context(), j.ID(), nil))
	}
	for name, want := range old.jobs {
		if got := values(t, s, name); !slices.Equal(got, want) {
			t.Errorf("%s: elements differ", name)
		}
	}
}

// change changes a bit of everything, and what old must show.
func (old *oldStore) change(t *testing.T, s *tstore.Store) {
	ctx := t.Context()
	must(t, second(s.CreateSnapshot(ctx, "found", "")))
	for _, name := range []string{"log", "c/int32", "f/float32", "last", "turned"} {
		if want, ok := old.tensors[name]; ok {
			old.tensors[name+"@found"], old.shapes[name+"@found"] = want, old.shapes[name]
		}
	}

	must(t, s.Append(ctx, "log", tstore.FromBytes(tstore.Spec{DType: stat(t, s, "log").Record.DType, Shape: []int{1, 2}}, make([]byte, 8))))
	old.tensors["log"] = append(slices.Clone(old.tensors["log"]), 0, 0)
	rows := len(old.tensors["log"]) / 2
	old.shapes["log"] = fmt.Sprintf("int32 %d,2", rows)

	must(t, s.Fill(ctx, "c/int32[0]", scalar(t, 40)))
	old.tensors["c/int32"] = []float64{40, 40, 40, 3, 4, 5}
	if _, ok := old.tensors["turned"]; ok {
		old.tensors["turned"] = []float64{40, 3, 40, 4, 40, 5}
	}
	must(t, second(s.Eval(ctx, "`f/float32` += 1; new = `f/float32`.sum()", nil)))
	old.tensors["f/float32"] = []float64{1, 2, 3, 4, 5, 6}
	old.tensors["new"], old.shapes["new"] = []float64{21}, "float32 -"

	must(t, s.Delete(ctx, "c/uint8"))
	delete(old.tensors, "c/uint8")
	if _, ok := old.tensors["kept@monday"]; ok {
		must(t, second(s.RestoreSnapshot(ctx, "monday", "kept")))
		old.tensors["kept"] = old.tensors["kept@monday"]
	}
	must(t, second(s.GC(ctx, nil)))
	_, _, err := s.Compact(ctx)
	must(t, err)
	old.check(t, s)
}

// backUp adds a backup to the folder that the version has begun, makes stores of it and of the
// version's own tar.
func (old *oldStore) backUp(t *testing.T, s *tstore.Store) {
	ctx := context.Background()
	folder, file := filepath.Join(old.dir, "backup"), filepath.Join(old.dir, "backup.tar")
	if _, err := os.Stat(file); err == nil {
		restored := filepath.Join(old.dir, "of-tar")
		must(t, second(tstore.VerifyBackup(ctx, file, nil)))
		must(t, second(tstore.Restore(ctx, []string{file}, restored, nil)))
		wantValues(t, openStore(t, restored), "c/int32", upTo(6)...)
	}
	must(t, second(s.Backup(ctx, folder, nil)))
	must(t, second(tstore.VerifyBackup(ctx, folder, nil)))
	restored := filepath.Join(old.dir, "of-folder")
	must(t, second(tstore.Restore(ctx, []string{folder}, restored, nil)))
	old.check(t, openStore(t, restored))
	old.checkSound(t, openStore(t, restored))
}

// wantFuture wants an error that names the version found, and the one that this program knows.
func wantFuture(t *testing.T, err error, found int) {
	t.Helper()
	if !errors.Is(err, tstore.ErrFuture) {
		t.Errorf("got %v, expected ErrFuture", err)
		return
	}
	for _, part := range []string{fmt.Sprintf("format %d", found), "formats up to 1", "newer"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// TestNewerBackup reads a backup whose manifest has a format of the future.
func TestNewerBackup(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 3))
	dir := filepath.Join(t.TempDir(), "b")
	must(t, second(s.Backup(t.Context(), dir, nil)))
	manifests, err := filepath.Glob(filepath.Join(dir, "manifests", "*"))
	must(t, err)
	text, err := os.ReadFile(manifests[0])
	must(t, err)
	newer := strings.Replace(string(text), `"tstore_backup":1`, `"tstore_backup":8`, 1)
	must(t, os.WriteFile(manifests[0], []byte(newer), 0o644))
	wantFuture(t, second(tstore.Restore(t.Context(), []string{dir}, filepath.Join(t.TempDir(), "r"), nil)), 8)
	wantFuture(t, second(s.Backup(t.Context(), dir, nil)), 8)
}
