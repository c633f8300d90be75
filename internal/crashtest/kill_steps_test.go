package crashtest_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// The child does step after step, announcing each before and after. Step i is of kind i %
// len(killSteps), and every tensor that it writes has i in all its elements, so that a mixture of
// two states shows.
var killSteps = []string{
	"import", "append", "snapshot", "replace", "patch", "rewrite", "delete", "rename", "pack", "eval", "restore", "gc", "program", "forget",
	"compact", "seal", "in place",
}

func killStep(i int) string { return killSteps[i%len(killSteps)] }

// killSize varies the elements of the tensors that step i makes.
func killSize(i int) int { return 1 + (i*7919)%60_000 }

// snapshotOf is the name of the snapshot that the same round made.
func snapshotOf(i int) string { return fmt.Sprintf("s%d", i/len(killSteps)) }

// restored are the names that a round restores.
var restored = []string{"small", "large", "one"}

// imported is the name that the import of the same round made.
func imported(i int) string { return fmt.Sprintf("imp/%d", i/len(killSteps)) }

func crashChild(ctx context.Context, s *tstore.Store, args []string) error {
	first, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	for i := first; ; i++ {
		fmt.Printf("begin %d\n", i)
		if err := doStep(ctx, s, i); err != nil {
			return fmt.Errorf("step %d (%s): %w", i, killStep(i), err)
		}
		fmt.Printf("done %d\n", i)
	}
}

func doStep(ctx context.Context, s *tstore.Store, i int) error {
	v := float64(i)
	switch killStep(i) {
	case "import":
		return s.Import(ctx, imported(i), storetest.Constant(v, killSize(i)), nil)
	case "append":
		return s.Append(ctx, "log", storetest.Constant(v, 1, 8))
	case "replace":
		return s.Replace(ctx, "current", storetest.Constant(v, killSize(i)))
	case "patch":
		return s.Fill(ctx, "small", dtype.ScalarOf(v))
	case "rewrite":
		return s.Fill(ctx, "large", dtype.ScalarOf(v))
	case "delete":
		return storetest.IgnoreMissing(s.Delete(ctx, imported(i)))
	case "rename":
		return errors.Join(storetest.IgnoreMissing(s.Rename(ctx, "moved", "there")), storetest.IgnoreMissing(s.Rename(ctx, "there", "moved")))
	case "pack":
		return s.Update(ctx, func(tx *tstore.Tx) error {
			return errors.Join(tx.Replace("one", storetest.Packed(storetest.Constant(v, 10))), tx.Replace("two", storetest.Packed(storetest.Constant(v, 20))))
		})
	case "eval":
		return storetest.Evaluates(fmt.Sprintf("made = large*0 + %d; beside = made[:50] + made[50:100]*0; current = beside", i))(ctx, s)
	case "snapshot":
		_, err := s.CreateSnapshot(ctx, snapshotOf(i), "")
		return err
	case "restore":
		_, err := s.RestoreSnapshot(ctx, snapshotOf(i), restored...)
		return storetest.IgnoreMissing(err)
	case "forget": // that of the round before
		_, err := s.RemoveSnapshot(ctx, snapshotOf(i-len(killSteps)))
		return storetest.IgnoreMissing(err)
	case "program":
		return storetest.Evaluates(fmt.Sprintf("large[:1000] = %d; small = small*0 + %[1]d; large[1000:] = small[0]", i))(ctx, s)
	case "compact":
		_, _, err := s.Compact(ctx)
		return err
	case "seal":
		return errors.Join(s.Seal(ctx, "two", nil), s.Unseal(ctx, "two"))
	case "in place":
		return fillParts(ctx, s, 9, "place[:2000]", "place[2000:]")
	default:
		_, err := s.GC(ctx, nil)
		return err
	}
}
