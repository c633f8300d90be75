package store_test

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
	"github.com/tstore/tstore/internal/storetest"
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
	archives, err := filepath.Glob("../../testdata/stores/*.tar.gz")
	storetest.Must(t, err)
	if len(archives) == 0 {
		t.Fatal("there are no stores in testdata/stores")
	}
	for i := 0; i < len(archives); i += storetest.Every(2) {
		archive := archives[i]
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), func(t *testing.T) {
			old := unpackStore(t, archive)
			s := storetest.OpenStore(t, filepath.Join(old.dir, "store"))
			old.check(t, s)
			storetest.WantSound(t, s.Dir()) // what killed programs have left in tmp/ does no harm
			old.resume(t, s)
			old.change(t, s)
			old.checkSound(t, s)
			old.backUp(t, s)
			old.check(t, storetest.OpenStore(t, s.Dir()))
		})
	}
}

// unpackStore unpacks an archive, and reads the file "want" in it.
func unpackStore(t *testing.T, archive string) *oldStore {
	f, err := os.Open(archive)
	storetest.Must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	storetest.Must(t, err)
	old := &oldStore{dir: t.TempDir(), tensors: map[string][]float64{}, shapes: map[string]string{}, blobs: map[string]string{}, jobs: map[string][]float64{}}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		storetest.Must(t, err)
		path := filepath.Join(old.dir, filepath.FromSlash(h.Name))
		if h.FileInfo().IsDir() {
			storetest.Must(t, os.MkdirAll(path, 0o755))
			continue
		}
		to, err := os.Create(path)
		storetest.Must(t, err)
		storetest.Must(t, storetest.Second(io.Copy(to, r)))
		storetest.Must(t, to.Close())
	}
	want, err := os.Open(filepath.Join(old.dir, "want"))
	storetest.Must(t, err)
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
		storetest.Must(t, err)
		v, err := strconv.ParseFloat(value, 64)
		storetest.Must(t, err)
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
		if got := storetest.Elements(t, x.Tensor); !slices.Equal(got, want) {
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
	for _, p := range storetest.Problems(t, s.Dir()) {
		t.Errorf("%s: %v %s: %s", p.Kind, p.Names, p.File, p.Detail)
	}
	report, err := s.Verify(t.Context(), nil)
	storetest.Must(t, err)
	if len(report.Damage) > 0 {
		t.Errorf("verify found %v", report.Damage)
	}
}

// resume ends the jobs that were interrupted.
func (old *oldStore) resume(t *testing.T, s *tstore.Store) {
	jobs, err := s.Jobs(t.Context())
	storetest.Must(t, err)
	if len(jobs) != len(old.jobs) {
		t.Errorf("%d jobs, expected %d", len(jobs), len(old.jobs))
	}
	for _, j := range jobs {
		storetest.Must(t, s.ResumeJob(t.Context(), j.ID(), nil))
	}
	for name, want := range old.jobs {
		if got := storetest.Values(t, s, name); !slices.Equal(got, want) {
			t.Errorf("%s: elements differ", name)
		}
	}
}

// change changes a bit of everything, and what old must show.
func (old *oldStore) change(t *testing.T, s *tstore.Store) {
	ctx := t.Context()
	storetest.Must(t, storetest.Second(s.CreateSnapshot(ctx, "found", "")))
	for _, name := range []string{"log", "c/int32", "f/float32", "last", "turned"} {
		if want, ok := old.tensors[name]; ok {
			old.tensors[name+"@found"], old.shapes[name+"@found"] = want, old.shapes[name]
		}
	}

	storetest.Must(t, s.Append(ctx, "log", tstore.FromBytes(tstore.Spec{DType: storetest.Stat(t, s, "log").Record.DType, Shape: []int{1, 2}}, make([]byte, 8))))
	old.tensors["log"] = append(slices.Clone(old.tensors["log"]), 0, 0)
	rows := len(old.tensors["log"]) / 2
	old.shapes["log"] = fmt.Sprintf("int32 %d,2", rows)

	storetest.Must(t, s.Fill(ctx, "c/int32[0]", storetest.Scalar(t, 40)))
	old.tensors["c/int32"] = []float64{40, 40, 40, 3, 4, 5}
	if _, ok := old.tensors["turned"]; ok {
		old.tensors["turned"] = []float64{40, 3, 40, 4, 40, 5}
	}
	storetest.Must(t, storetest.Second(s.Eval(ctx, "`f/float32` += 1; new = `f/float32`.sum()", nil)))
	old.tensors["f/float32"] = []float64{1, 2, 3, 4, 5, 6}
	old.tensors["new"], old.shapes["new"] = []float64{21}, "float32 -"

	storetest.Must(t, s.Delete(ctx, "c/uint8"))
	delete(old.tensors, "c/uint8")
	if _, ok := old.tensors["kept@monday"]; ok {
		storetest.Must(t, storetest.Second(s.RestoreSnapshot(ctx, "monday", "kept")))
		old.tensors["kept"] = old.tensors["kept@monday"]
	}
	storetest.Must(t, storetest.Second(s.GC(ctx, nil)))
	_, _, err := s.Compact(ctx)
	storetest.Must(t, err)
	old.check(t, s)
}

// backUp adds a backup to the folder that the version has begun, makes stores of it and of the
// version's own tar.
func (old *oldStore) backUp(t *testing.T, s *tstore.Store) {
	ctx := context.Background()
	folder, file := filepath.Join(old.dir, "backup"), filepath.Join(old.dir, "backup.tar")
	if _, err := os.Stat(file); err == nil {
		restored := filepath.Join(old.dir, "of-tar")
		storetest.Must(t, storetest.Second(tstore.VerifyBackup(ctx, file, nil)))
		storetest.Must(t, storetest.Second(tstore.Restore(ctx, []string{file}, restored, nil)))
		storetest.WantValues(t, storetest.OpenStore(t, restored), "c/int32", storetest.UpTo(6)...)
	}
	storetest.Must(t, storetest.Second(s.Backup(ctx, folder, nil)))
	storetest.Must(t, storetest.Second(tstore.VerifyBackup(ctx, folder, nil)))
	restored := filepath.Join(old.dir, "of-folder")
	storetest.Must(t, storetest.Second(tstore.Restore(ctx, []string{folder}, restored, nil)))
	old.check(t, storetest.OpenStore(t, restored))
	old.checkSound(t, storetest.OpenStore(t, restored))
}

// TestNewerBackup reads a backup whose manifest has a format of the future.
func TestNewerBackup(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	dir := filepath.Join(t.TempDir(), "b")
	storetest.Must(t, storetest.Second(s.Backup(t.Context(), dir, nil)))
	manifests, err := filepath.Glob(filepath.Join(dir, "manifests", "*"))
	storetest.Must(t, err)
	text, err := os.ReadFile(manifests[0])
	storetest.Must(t, err)
	newer := strings.Replace(string(text), `"tstore_backup":1`, `"tstore_backup":8`, 1)
	storetest.Must(t, os.WriteFile(manifests[0], []byte(newer), 0o644))
	storetest.WantFuture(t, storetest.Second(tstore.Restore(t.Context(), []string{dir}, filepath.Join(t.TempDir(), "r"), nil)), 8)
	storetest.WantFuture(t, storetest.Second(s.Backup(t.Context(), dir, nil)), 8)
}
