package compute_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/view"
)

// TestManyStatements compares the time of 20,000 statements with that of five times 4,000: it grows
// about as their number does. One in which it grows as the square takes five times as long.
func TestManyStatements(t *testing.T) {
	operands := map[string]*view.Tensor{"q": array(t, []int8{1, 2})}
	took := func(n int) time.Duration {
		start := time.Now()
		if _, err := evaluate(t.Context(), strings.Repeat("q;", n), operands, &compute.Options{Parallelism: 1}); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	var few, many time.Duration
	for range 8 {
		few = 0
		for range 5 {
			few += took(4000)
		}
		if many = took(20_000); many < 5*few/2 {
			return
		}
	}
	t.Errorf("20,000 statements take %v, five times 4,000 of them %v", many, few)
}
