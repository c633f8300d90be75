package ptxvm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tstore/tstore/internal/ptxvm"
)

// TestLaunchEnds launches more short blocks than anybody can wait for. The context ends them.
func TestLaunchEnds(t *testing.T) {
	var d ptxvm.Device
	m, err := d.Load(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err = m.Launch(ctx, "k", &ptxvm.Launch{Grid: [3]int{1<<31 - 1, 1, 1}, Block: [3]int{1, 1, 1}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got the error %v, want that of the context", err)
	}
}
