package check_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// firstWrite runs fn before the first bytes that are written to it.
type firstWrite struct {
	fn   func() error
	seen int64
	last [storetest.SumBlock]byte
}

func (w *firstWrite) Write(p []byte) (int, error) {
	if w.seen == 0 {
		if err := w.fn(); err != nil {
			return 0, err
		}
	}
	copy(w.last[:], p) // not looked at, what is cut is not missed
	w.seen += int64(len(p))
	return len(p), nil
}

// encodeBare writes elements one after the other.
func encodeBare(_ context.Context, w io.Writer, x compute.Elements) error {
	return x.Blocks(1<<16, func(b []byte) error {
		_, err := w.Write(b)
		return err
	})
}

// TestDamageUnderExport damages the file of a sealed tensor while it is exported and copied. What
// is cut is an error, of which nothing is published; what turns after it was opened is told to
// whoever opens it next with paranoia.
func TestDamageUnderExport(t *testing.T) {
	t.Parallel()
	if !storetest.MapsFiles {
		t.Skip("what is open is a copy of the file in race builds")
	}
	const n = 300 * storetest.SumBlock / 8
	cut := func(file string) error { return os.Truncate(file, storetest.FileHeader+2*storetest.SumBlock+5) }
	turn := func(file string) error { return storetest.FlipByte(file, storetest.FileHeader+250*storetest.SumBlock) }
	for _, paranoid := range []bool{false, true} {
		for name, damage := range map[string]func(file string) error{"cut": cut, "a bit": turn} {
			t.Run(fmt.Sprintf("%s, paranoid %t", name, paranoid), func(t *testing.T) {
				ctx := t.Context()
				for what, use := range map[string]func(s *tstore.Store, faulty *fsx.Faulty, harm func() error) error{
					"export": func(s *tstore.Store, _ *fsx.Faulty, harm func() error) error {
						w := &firstWrite{fn: harm}
						err := s.Export(ctx, "x", w, encodeBare)
						if err == nil && w.seen < 8*n {
							t.Errorf("export ended after %d bytes", w.seen)
						}
						return err
					},
					"copy": func(s *tstore.Store, faulty *fsx.Faulty, harm func() error) error {
						done := false
						faulty.FailIf(func(o fsx.Op) error {
							if o.Kind != fsx.OpWrite || done {
								return nil
							}
							done = true
							return harm()
						})
						return s.Copy(ctx, "new", "x", nil)
					},
				} {
					dir, file := memoryStore(t, n)
					faulty := fsx.NewFaulty(fsx.OS)
					s, err := storetest.OpenOn(ctx, dir, faulty, &tstore.Options{Paranoid: paranoid})
					if err != nil {
						t.Fatal(err)
					}
					defer s.Close()
					err = use(s, faulty, func() error { return damage(file) })
					_, found := s.Stat(ctx, "new")
					if name == "cut" && (!errors.Is(err, tstore.ErrTruncated) || !errors.Is(found, tstore.ErrNotFound)) {
						t.Errorf("%s of what is cut meanwhile: %v, and the copy: %v", what, err, found)
					}
					if name != "cut" && err != nil {
						t.Errorf("%s of what was whole when it was opened: %v", what, err)
					}
					if left, err := filepath.Glob(filepath.Join(dir, "tmp", "*")); err != nil || len(left) > 0 {
						t.Errorf("%s left %v, %v", what, left, err)
					}
					storetest.WantValues(t, s, "y", 0, 1, 2)
					next, err := tstore.Open(ctx, dir, &tstore.Options{Paranoid: true})
					if err != nil {
						t.Fatal(err)
					}
					defer next.Close()
					if err := next.Export(ctx, "x", io.Discard, encodeBare); !errors.Is(err, tstore.ErrChecksum) && !errors.Is(err, tstore.ErrTruncated) {
						t.Errorf("%s once more: %v", what, err)
					}
				}
			})
		}
	}
}
