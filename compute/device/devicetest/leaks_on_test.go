//go:build invariants

package devicetest_test

import (
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// Tensors on a device that are not closed are in the reports of leaks, with their place.
func TestLeaks(t *testing.T) {
	d := devicetest.New(&devicetest.Options{Place: mmapstore.GPU(5)})
	x := tensorOn(t, d, dtype.Int16, 40, 30)
	leaks := func() (found []mmapstore.Leak) {
		for _, l := range mmapstore.Leaks() {
			if strings.Contains(l.Name, "gpu:5") {
				found = append(found, l)
			}
		}
		return found
	}
	if found := leaks(); len(found) != 1 || found[0].Size != 40*30*2 {
		t.Errorf("leaks: %v", found)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if found := leaks(); len(found) != 0 {
		t.Errorf("leaks after Close: %v", found)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
