package fsx_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/tstore/tstore/internal/fsx"
)

func TestWrite(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, largest := range []int{1, 1000, chunk, 3 * chunk} {
		for _, off := range []int64{0, 4096, 5*chunk - 1} {
			want := randomBytes(min(largest*200, 9*chunk+11))
			f := create(t, fsx.OS, filepath.Join(t.TempDir(), "out"))
			w := fsx.NewStreamWriter(f, off, &fsx.StreamOptions{ChunkBytes: chunk})
			for rest := want; len(rest) > 0; {
				n, err := w.Write(rest[:min(len(rest), 1+random.IntN(largest))])
				if err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
				if got, want := w.Offset(), off+int64(len(want)-len(rest)); got != want {
					t.Fatalf("offset %d, want %d", got, want)
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			checkContent(t, f, off, want)
		}
	}
}

// TestMixedWrites has all ways of writing follow each other.
func TestMixedWrites(t *testing.T) {
	want := randomBytes(20*chunk + 123)
	f := create(t, fsx.OS, filepath.Join(t.TempDir(), "out"))
	w := fsx.NewStreamWriter(f, 100, &fsx.StreamOptions{ChunkBytes: chunk})
	rest := want
	take := func(n int) []byte {
		p := rest[:n]
		rest = rest[n:]
		return p
	}
	ctx := context.Background()
	steps := []func() error{
		func() error { _, err := w.Write(take(10)); return err },
		func() error { return w.ReadFrom(ctx, bytes.NewReader(take(3*chunk+5)), 3*chunk+5) },
		func() error { _, err := w.Write(take(chunk)); return err },
		func() error { return w.ReadFrom(ctx, io.MultiReader(bytes.NewReader(take(2*chunk))), 2*chunk) },
		func() error {
			return w.CopyAt(ctx, bytes.NewReader(want), int64(len(want)-len(rest)), int64(len(rest)))
		},
		w.Flush,
	}
	for i, step := range steps {
		if err := step(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	checkContent(t, f, 100, want)
}

func TestWriteChunk(t *testing.T) {
	const chunks = 32
	want := randomBytes(chunks * chunk)
	f := create(t, fsx.OS, filepath.Join(t.TempDir(), "out"))
	w := fsx.NewStreamWriter(f, 0, &fsx.StreamOptions{ChunkBytes: chunk, KeepCached: true})
	var all sync.WaitGroup
	for i := range int64(chunks) {
		all.Go(func() {
			if err := w.WriteChunk(want[i*chunk:(i+1)*chunk], i*chunk); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	checkContent(t, f, 0, want)
}

// TestPacing reads the log of a copy: the chunks that are written and not yet waited for are few at
// any time, and each chunk but the last few is started, waited for in order, and once.
func TestPacing(t *testing.T) {
	const chunks = 40
	fsys := fsx.NewFaulty(fsx.OS)
	f := create(t, fsys, filepath.Join(t.TempDir(), "out"))
	w := fsx.NewStreamWriter(f, 4096, &fsx.StreamOptions{ChunkBytes: chunk})
	src := bytes.NewReader(randomBytes(chunks*chunk - 4096))
	if err := w.ReadFrom(context.Background(), src, src.Size()); err != nil {
		t.Fatal(err)
	}
	written, started, waited := map[int64]bool{}, map[int64]bool{}, map[int64]bool{}
	for _, o := range fsys.Log() {
		switch o.Kind {
		case fsx.OpWrite:
			written[o.Off] = true
		case fsx.OpStartWriteback:
			if !written[o.Off] || started[o.Off] {
				t.Errorf("%v: not written before, or started twice", o)
			}
			started[o.Off] = true
		case fsx.OpWaitWriteback:
			if !started[o.Off] || waited[o.Off] {
				t.Errorf("%v: not started before, or waited for twice", o)
			}
			waited[o.Off] = true
		}
		if dirty := len(written) - len(waited); dirty > 8 {
			t.Errorf("%v: %d dirty chunks, want at most 8", o, dirty)
		}
	}
	if len(started) != chunks || len(waited) != chunks-4 {
		t.Errorf("%d chunks started and %d waited for, want %d and %d", len(started), len(waited), chunks, chunks-4)
	}
}

// TestStreamFails fails each operation of a copy in turn. The copy must report it and go on
// reporting it, and must not sync.
func TestStreamFails(t *testing.T) {
	for name, copyTo := range map[string]func(*fsx.StreamWriter, []byte) error{
		"ReadFrom bytes": func(w *fsx.StreamWriter, b []byte) error {
			return w.ReadFrom(context.Background(), bytes.NewReader(b), int64(len(b)))
		},
		"ReadFrom stream": func(w *fsx.StreamWriter, b []byte) error {
			return w.ReadFrom(context.Background(), io.MultiReader(bytes.NewReader(b)), int64(len(b)))
		},
		"Write": func(w *fsx.StreamWriter, b []byte) error {
			_, err := w.Write(b)
			return errors.Join(err, w.Flush())
		},
	} {
		t.Run(name, func(t *testing.T) {
			content := randomBytes(7*chunk + 5)
			for k := 2; ; k++ {
				fsys := fsx.NewFaulty(fsx.OS)
				fsys.FailAt(k, syscall.ENOSPC)
				f := create(t, fsys, filepath.Join(t.TempDir(), "out"))
				w := fsx.NewStreamWriter(f, 0, &fsx.StreamOptions{ChunkBytes: chunk})
				err := copyTo(w, content)
				if fsys.Ops() < k {
					if err != nil {
						t.Fatalf("nothing failed, but: %v", err)
					}
					if k < 10 {
						t.Fatalf("only %d operations", k)
					}
					return
				}
				if !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("operation %d failed: %v, want ENOSPC", k, err)
				}
				fsys.FailIf(nil)
				if _, err := w.Write([]byte("more")); !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("Write after the failure: %v, want the same ENOSPC", err)
				}
				if err := w.Flush(); !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("Flush after the failure: %v, want the same ENOSPC", err)
				}
			}
		})
	}
}

func TestStreamCancel(t *testing.T) {
	cause := errors.New("changed my mind")
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"reader at": func(r io.Reader) io.Reader { return r },
		"reader":    func(r io.Reader) io.Reader { return io.MultiReader(r) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(context.Background())
			f := create(t, fsx.OS, filepath.Join(t.TempDir(), "out"))
			w := fsx.NewStreamWriter(f, 0, &fsx.StreamOptions{ChunkBytes: chunk, Progress: func(done int64) {
				if done >= 3*chunk {
					cancel(cause)
				}
			}})
			err := w.ReadFrom(ctx, wrap(bytes.NewReader(make([]byte, 50*chunk))), 50*chunk)
			if !errors.Is(err, cause) {
				t.Errorf("%v, want the cause", err)
			}
			fi, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			if fi.Size() > 6*chunk {
				t.Errorf("%d chunks were written after the end of the context at 3", fi.Size()/chunk)
			}
		})
	}
}

func TestCopyArguments(t *testing.T) {
	ctx := context.Background()
	f := create(t, fsx.OS, filepath.Join(t.TempDir(), "out"))
	at := bytes.NewReader([]byte{1})
	for name, copyTo := range map[string]func(w *fsx.StreamWriter) error{
		"negative length":     func(w *fsx.StreamWriter) error { return w.ReadFrom(ctx, io.MultiReader(at), -1) },
		"negative length at":  func(w *fsx.StreamWriter) error { return w.CopyAt(ctx, at, 0, -1) },
		"negative offset":     func(w *fsx.StreamWriter) error { return w.CopyAt(ctx, at, -1, 1) },
		"overflow":            func(w *fsx.StreamWriter) error { return w.CopyAt(ctx, at, 1<<62, 1<<62) },
		"offset past the end": func(w *fsx.StreamWriter) error { return w.CopyAt(ctx, at, 7, 1) },
	} {
		if err := copyTo(fsx.NewStreamWriter(f, 0, nil)); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
