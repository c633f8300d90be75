package compute_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/view"
)

// TestManyStatements compares the time of 20,000 statements with that of 4,000: it grows about as
// their number does.
func TestManyStatements(t *testing.T) {
	operands := map[string]*view.Tensor{"q": array(t, []int8{1, 2})}
	took := func(n int) time.Duration {
		start := time.Now()
		if _, err := evaluate(t.Context(), strings.Repeat("q;", n), operands, &compute.Options{Parallelism: 1}); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	few, many := time.Hour, time.Hour
	for range 8 {
		few, many = min(few, took(4000)), min(many, took(20_000))
		if many < 10*few {
			return
		}
	}
	t.Errorf("20,000 statements take %v, 4,000 of them %v", many, few)
}
