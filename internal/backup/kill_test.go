package backup_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// backupChild makes one backup after the other, with changes in between.
func backupChild(ctx context.Context, s *tstore.Store, args []string) error {
	for i := 1; ; i++ {
		fmt.Println(i)
		v := float64(i)
		err := s.Update(ctx, func(tx *tstore.Tx) error {
			return errors.Join(tx.Replace("a", storetest.Constant(v, 3000)), tx.Replace("b", storetest.Constant(v, 9000)), tx.Replace("n", storetest.Constant(v, 1)))
		})
		rows, stat := s.Stat(ctx, "log")
		if err := errors.Join(err, stat); err != nil {
			return err
		}
		row := float64(rows.Layout.Shape()[0])/100 + 1
		err = errors.Join(s.Append(ctx, "log", storetest.Constant(row, 100)), s.Fill(ctx, "filled[:10]", dtype.ScalarOf(v)))
		if err == nil {
			_, err = s.Backup(ctx, args[0], nil)
		}
		if err != nil {
			return err
		}
	}
}

// TestKillBackup kills a process that makes backups, again and again: the folder has a good one
// each time, and what the dead have left goes.
func TestKillBackup(t *testing.T) {
	t.Parallel()
	s := pairStore(t)
	dest := filepath.Join(t.TempDir(), "b")
	rng := rand.New(rand.NewPCG(*storetest.KillSeed, 1))
	for range *backupKills {
		kill := startChild(t, "backup", s.Dir(), dest)
		time.Sleep(time.Duration(rng.Int64N(int64(60 * time.Millisecond))))
		kill()
		found := contentsOf(t, dest)
		if found == nil {
			continue
		}
		b := storetest.OpenStore(t, dest)
		n := storetest.Values(t, b, "n")[0]
		for i, v := range append(storetest.Values(t, b, "a"), storetest.Values(t, b, "b")...) {
			if v != n {
				t.Fatalf("element %d is %v, and n is %v", i, v, n)
			}
		}
		for i, v := range storetest.Values(t, b, "log") {
			if v != float64(i/100+1) {
				t.Fatalf("row %d of the log is %v", i/100, v)
			}
		}
	}
	if _, err := s.Repair(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	storetest.Backup(t, s, dest, nil)
	storetest.WantContents(t, dest, storetest.Contents(t, s))
	if _, err := s.GC(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantNoTrace(t, s)
}
