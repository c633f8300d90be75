package tensortest_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/internal/tensortest"
)

func TestLayoutsAreSound(t *testing.T) {
	names := map[string]bool{}
	for _, l := range tensortest.Layouts() {
		if names[l.Name] {
			t.Errorf("two layouts are called %q", l.Name)
		}
		names[l.Name] = true
		checkSound(t, l)
	}
}

func TestAliasedPairsAreSound(t *testing.T) {
	for _, p := range tensortest.Aliased() {
		p.Dst.Name, p.Src.Name = p.Name+" dst", p.Name+" src"
		checkSound(t, p.Dst)
		p.Src.Repeats = slices.Contains(p.Src.Strides, 0)
		checkSound(t, p.Src)
		if !slices.Equal(p.Dst.Shape, p.Src.Shape) {
			t.Errorf("%s: shapes %v and %v differ", p.Name, p.Dst.Shape, p.Src.Shape)
		}
	}
}

// checkSound checks that l keeps within its span and repeats elements only if it says so.
func checkSound(t *testing.T, l tensortest.Layout) {
	t.Helper()
	seen := map[int]bool{}
	repeats := false
	for _, pos := range l.Positions() {
		if pos < 0 || pos >= l.Span {
			t.Errorf("%s: position %d is outside the span of %d", l.Name, pos, l.Span)
		}
		repeats = repeats || seen[pos]
		seen[pos] = true
	}
	if repeats != l.Repeats {
		t.Errorf("%s: Repeats is %t, the positions say %t", l.Name, l.Repeats, repeats)
	}
	if len(l.Shape) != len(l.Strides) {
		t.Errorf("%s: %d sizes and %d strides", l.Name, len(l.Shape), len(l.Strides))
	}
}

func TestBuffer(t *testing.T) {
	for _, skew := range []int{0, 1, 7, 63} {
		for _, size := range []int{1, 64, 1000} {
			b := tensortest.Buffer(size, skew)
			if len(b) != size || uintptr(unsafe.Pointer(&b[0]))%64 != uintptr(skew) {
				t.Errorf("Buffer(%d, %d): %d bytes at %p", size, skew, len(b), &b[0])
			}
		}
	}
	if b := tensortest.Buffer(0, 5); len(b) != 0 {
		t.Errorf("Buffer(0, 5) has %d bytes", len(b))
	}
}
