package fewmap_test

import (
	"fmt"
	"testing"

	"github.com/tstore/tstore/compute/internal/fewmap"
)

// TestMap compares maps of few and of many entries with what was added, before and after they are
// cleared.
func TestMap(t *testing.T) {
	var m fewmap.Map[string, int]
	for _, n := range []int{0, 1, 5, 12, 13, 14, 100, 3, 40} {
		m.Clear()
		for i := range n {
			key := fmt.Sprint(i)
			if v, ok := m.Get(key); ok {
				t.Fatalf("%d of %d: %q has %d before it is added", i, n, key, v)
			}
			m.Add(key, i*i)
			for j := range i + 1 {
				if v, ok := m.Get(fmt.Sprint(j)); !ok || v != j*j {
					t.Fatalf("%d of %d: %d has %d, %t", i, n, j, v, ok)
				}
			}
		}
	}
}

func Example() {
	var squares fewmap.Map[int, int]
	squares.Add(3, 9)
	fmt.Println(squares.Get(3))
	fmt.Println(squares.Get(4))
	// Output:
	// 9 true
	// 0 false
}
