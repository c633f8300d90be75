package check_test

import (
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

var damagedBits = flag.Int("damaged-bits", 60, "how many random bits TestDamagedBits flips in data, and in the catalog")

// memoryStore makes a store that costs no syncs, with a sealed tensor "x" of n elements that count
// up, and returns the path of its file.
func memoryStore(t *testing.T, n int) (dir, file string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Import(t.Context(), "x", storetest.Source(t, 0, n), nil); err != nil {
		t.Fatal(err)
	}
	storetest.Create(t, s, "y", storetest.Source(t, 0, 3))
	return dir, filepath.Join(dir, filepath.FromSlash(storetest.Stat(t, s, "x").Storage.File()))
}

// TestFileUnderReader damages the file of a tensor that is open, and goes on reading and computing
// on it.
func TestFileUnderReader(t *testing.T) {
	const n = 300_000
	damages := map[string]struct {
		do    func(file string) error
		fails bool // what is open can't be read any more
	}{
		"cut off": {func(file string) error { return os.Truncate(file, 8192) }, true},
		"emptied": {func(file string) error { return os.Truncate(file, 0) }, true},
		"deleted": {os.Remove, false},
		"replaced by files": {func(file string) error {
			return errors.Join(os.WriteFile(file+".2", []byte("other"), 0o644), os.Rename(file+".2", file))
		}, false},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			if damage.fails && !storetest.MapsFiles {
				t.Skip("what is open is a copy of the file in race builds")
			}
			ctx := t.Context()
			dir, file := memoryStore(t, n)
			s, err := tstore.Open(ctx, dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			x, err := s.Get(ctx, "x")
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			if err := damage.do(file); err != nil {
				t.Fatal(err)
			}
			last, err := x.Tensor.Get(n - 1)
			if damage.fails != (err != nil) || err == nil && last.Float64() != n-1 {
				t.Errorf("element: %v, %v", last, err)
			}
			_, err = io.Copy(io.Discard, x.Reader())
			if damage.fails != (err != nil) {
				t.Errorf("stream: %v", err)
			}
			if damage.fails && (!errors.Is(err, tstore.ErrTruncated) || !strings.Contains(err.Error(), filepath.Base(file))) {
				t.Errorf("stream: %v; want ErrTruncated that names the file", err)
			}
			for what, use := range map[string]func() error{
				"get":  func() error { return storetest.Second(storetest.ReadAll(ctx, s, "x")) },
				"sum":  func() error { return storetest.Second(storetest.ReadAll(ctx, s, "sum(x)")) },
				"eval": func() error { return storetest.Evaluates("z = x * 2")(ctx, s) },
			} {
				if err := use(); err == nil && name != "deleted" && damage.fails {
					t.Errorf("%s worked on a file that is %s", what, name)
				}
			}
			fresh, err := tstore.Open(ctx, dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer fresh.Close()
			if v, err := storetest.ReadAll(ctx, fresh, "x"); err == nil {
				t.Errorf("another handle read %d elements", len(v))
			}
			storetest.WantValues(t, fresh, "y", 0, 1, 2)
		})
	}
}

// flipBit changes a bit of a file, and returns what changes it back.
func flipBit(t *testing.T, file string, off int64, bit int) (back func()) {
	t.Helper()
	change := func() {
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var b [1]byte
		if _, err := f.ReadAt(b[:], off); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 1 << bit
		if _, err := f.WriteAt(b[:], off); err != nil {
			t.Fatal(err)
		}
	}
	change()
	return change
}

// TestDamagedHeader flips a bit in bytes of a file's header, in every one of them with 10,000 bits
// of TestDamagedBits: elements stay right, and fsck tells.
func TestDamagedHeader(t *testing.T) {
	t.Parallel()
	dir, file := memoryStore(t, 10_000)
	s, err := tstore.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	step := int64(17 * storetest.Every(10))
	if *damagedBits >= 10_000 {
		step = 1
	}
	for off := int64(0); off < 4096; off += step {
		back := flipBit(t, file, off, int(off%8))
		if got, err := storetest.ReadAll(t.Context(), s, "x"); err == nil && !slices.Equal(got, storetest.UpTo(10_000)) {
			t.Fatalf("byte %d: wrong elements", off)
		}
		found, err := s.Check(t.Context())
		if err != nil || len(found) != 1 || found[0].Kind != tstore.ProblemHeader {
			t.Fatalf("byte %d: check found %+v, %v", off, found, err)
		}
		back()
	}
	storetest.WantSound(t, dir)
}

// TestDamagedBits flips random bits of sealed elements: reading them is an error, never other
// elements. Then it flips bits of the catalog, which may matter or not, but never makes other
// elements of x.
func TestDamagedBits(t *testing.T) {
	t.Parallel()
	const n = 10_000
	bits := *damagedBits
	t.Logf("seed 5, %d bits", bits)
	rng := rand.New(rand.NewPCG(5, 0))
	dir, file := memoryStore(t, n)
	paranoid := func() ([]float64, error) {
		s, err := tstore.Open(t.Context(), dir, &tstore.Options{Paranoid: true})
		if err != nil {
			return nil, err
		}
		defer s.Close()
		return storetest.ReadAll(t.Context(), s, "x")
	}
	for range bits {
		off, bit := 4096+rng.Int64N(8*n), rng.IntN(8)
		back := flipBit(t, file, off, bit)
		if got, err := paranoid(); !errors.Is(err, tstore.ErrChecksum) {
			t.Fatalf("bit %d of byte %d: read %d elements, %v", bit, off, len(got), err)
		}
		back()
	}
	db := filepath.Join(dir, "catalog.db")
	fi, err := os.Stat(db)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for range bits {
		off, bit := rng.Int64N(fi.Size()), rng.IntN(8)
		back := flipBit(t, db, off, bit)
		got, err := paranoid()
		if err == nil && !slices.Equal(got, storetest.UpTo(n)) {
			t.Fatalf("bit %d of byte %d of the catalog: wrong elements", bit, off)
		}
		if err != nil {
			told++
		}
		back()
	}
	t.Logf("%d bits of the catalog made x an error", told)
	if got, err := paranoid(); err != nil || !slices.Equal(got, storetest.UpTo(n)) {
		t.Errorf("with all bits back: %d elements, %v", len(got), err)
	}
}
