package disklog_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/tstore/tstore/internal/disklog"
)

// disk is one in memory.
type disk []byte

func (d disk) WriteAt(p []byte, off int64) (int, error) { return copy(d[off:], p), nil }

// What was flushed is there, what came after it may be.
func Example() {
	events := []disklog.Event{write(0, "a"), flush, done, write(1, "b")}
	medium := make(disk, 2)
	d := disklog.NewDisk(events, medium)
	if err := d.Go(len(events)); err != nil {
		fmt.Println(err)
	}
	image := append(disk(nil), medium...)
	err := d.Cut(image, rand.New(rand.NewPCG(1, 1)), 0)
	fmt.Printf("%q when %d was acknowledged, and %d write may be there: %v\n", image, d.Mark(), d.Pending(), err)
	// Output: "a\x00" when 7 was acknowledged, and 1 write may be there: <nil>
}
