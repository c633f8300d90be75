package compute_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/devicetest"
)

// TestDeviceReduceGoesOn begins on one engine and goes on with the other.
func TestDeviceReduceGoesOn(t *testing.T) {
	t.Parallel()
	env := streamNames(t).env()
	d := devicetest.New(nil)
	for i, text := range []string{
		"a = x.sum()", "a = x.mean(axis=0)", "a = x.max(axis=2); b = (x*v).sum(axis=(0, 2))", "a = count_nonzero(x, axis=(0, 1)); b = norm(x, axis=1); c = x - x.min()",
		"a = nansum(x.T, axis=0)",
	} {
		t.Run(text, func(t *testing.T) {
			want := newTarget(t, text, env, nil)
			if err := want.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			all := newTarget(t, text, env, nil).runFrom(t, compute.Checkpoint{}, -1)
			rng := rand.New(rand.NewPCG(9, uint64(i)))
			var at compute.Checkpoint
			var done []byte
			told := 0
			for part := 0; told < len(all); part++ {
				o := &compute.Options{Parallelism: 1 + rng.IntN(3)}
				if part%2 == i%2 {
					o.Device = d
				}
				p := newTarget(t, text, env, o)
				if done != nil {
					p.fill(t, done)
				}
				n := 1 + rng.IntN(len(all)-told)
				if told+n == len(all) {
					n = -1
				}
				places := p.runFrom(t, at, n)
				if len(places) > 0 {
					at = places[len(places)-1]
				}
				told, done = told+len(places), p.bytes(t)
				if n < 0 && told != len(all) {
					t.Fatalf("%d places were told, want %d", told, len(all))
				}
			}
			if !bytes.Equal(done, want.bytes(t)) {
				t.Error("other elements than the CPU makes")
			}
		})
	}
	if d.Stats().Launches == 0 {
		t.Error("nothing was launched")
	}
}

// TestDeviceReduceTold checks that a plan says what reduces.
func TestDeviceReduceTold(t *testing.T) {
	n := names{"a": array(t, make([]float32, 10_000), 100, 100)}
	d := devicetest.New(nil)
	for text, want := range map[string]string{
		"sum(a*2)":         "GPU code for gpu:0, which reduces as well, a block of threads for each run of elements",
		"sum(a*2, axis=0)": "GPU code for gpu:0, which reduces as well, a thread for each column",
		"var(a)":           "the CPU, not gpu:0: no GPU code for var",
		"prod(a)":          "the CPU, not gpu:0: no GPU code for products of float32, which have exponents of their own",
		"argmax(a)":        "the CPU, not gpu:0: no GPU code for argmax",
	} {
		if got := newPlan(t, "c = "+text, n.env(), &compute.Options{Device: d}).String(); !strings.Contains(got, want) {
			t.Errorf("%s: the plan has no %q:\n%s", text, want, got)
		}
	}
}
