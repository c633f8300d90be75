package measure

import (
	"fmt"
	"math"
	"time"

	"github.com/dustin/go-humanize"
)

// Rates are how fast a device is, and the host that feeds it.
type Rates struct {
	// Up and Down are bytes a second from staging memory to the device and back, both at once.
	Up   float64 `json:"up"`
	Down float64 `json:"down"`
	// Host is bytes a second that all processors together read and write while they copy to and from
	// staging memory. A byte that is copied counts twice.
	Host float64 `json:"host"`
	// Float32 and Float64 are instructions a second on numbers of these types, of all threads.
	Float32 float64 `json:"float32"`
	Float64 float64 `json:"float64"`
	// Start is the time in seconds from the first call of a small upload, launch and download until
	// all are done.
	Start float64 `json:"start"`
}

// check returns an error if r is nothing that can have been measured.
func (r *Rates) check() error {
	for name, v := range map[string]float64{"up": r.Up, "down": r.Down, "host": r.Host, "float32": r.Float32, "float64": r.Float64, "start": r.Start} {
		if !(v > 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %v; expected a number above 0", name, v)
		}
	}
	return nil
}

// String returns the rates on one line.
func (r Rates) String() string {
	bytes := func(v float64) string { return humanize.Bytes(uint64(v)) + "/s" }
	numbers := func(v float64) string { return humanize.SIWithDigits(v, 1, "/s") }
	return fmt.Sprintf("%s in, %s out, %s host memory, %s float32, %s float64, %v to start",
		bytes(r.Up), bytes(r.Down), bytes(r.Host), numbers(r.Float32), numbers(r.Float64),
		time.Duration(r.Start*float64(time.Second)).Round(100*time.Nanosecond))
}
