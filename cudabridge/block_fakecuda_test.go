//go:build cuda && fakecuda && linux

package cudabridge_test

import (
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"
)

// A page that can't be read ends the copy from it, and no other.
func TestUnreadablePage(t *testing.T) {
	set(t, "")
	d := open(t, nil)
	b, err := d.Alloc(4096)
	ok(t, err)
	page, err := unix.Mmap(-1, 0, 4096, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	ok(t, err)
	func() {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if recover() == nil {
				t.Error("no fault")
			}
		}()
		_, _ = b.Device().WriteAt(page, 0)
	}()
	_, err = b.Device().WriteAt(make([]byte, 4096), 0)
	ok(t, err)
	ok(t, unix.Munmap(page))
	ok(t, b.Free())
	ok(t, d.Close())
}
