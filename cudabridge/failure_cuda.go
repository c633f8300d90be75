//go:build cuda && linux

package cudabridge

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/cudabridge/internal/driver"
)

// Numbers of errors of CUDA.
const outOfMemory = 2

// fatal are the errors after which a context does nothing any more, and what they mean.
var fatal = map[int]string{
	4:   "the driver is shutting down",
	46:  "the device is not available",
	214: "the memory of the device had an error that could not be corrected",
	220: "the link to another device had an error that could not be corrected",
	700: "a kernel touched memory that is not there",
	702: "a kernel ran for longer than the system allows",
	709: "the context was destroyed",
	710: "an assertion failed in a kernel",
	714: "the stack of a kernel was damaged",
	715: "a kernel ran into an instruction that is none",
	716: "a kernel touched memory at an address that is not aligned",
	717: "a kernel touched memory of the wrong kind",
	718: "a kernel ran on at an address that has no code",
	719: "a kernel failed",
	721: "the device stopped an error from spreading",
	999: "the driver does not know why",
}

// failure returns the error of calls of the driver, with what was being done. It loses the device
// where CUDA says that the context is gone.
func (g *gpu) failure(doing string, err error) error {
	if err == nil {
		return nil
	}
	err = driver.ErrorOf(err)
	if failed, ok := errors.AsType[*driver.Error](err); ok && fatal[failed.Code] != "" {
		return g.at(g.lose(fmt.Errorf("%s: %w: %s", doing, err, fatal[failed.Code])))
	}
	return g.wrap(doing, err)
}

// lose notes that the device is lost, and returns why: the first reason is the one that counts.
func (g *gpu) lose(why error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mu.lost == nil {
		g.mu.lost = fmt.Errorf("%w: %w", device.ErrLost, why)
		close(g.gone)
	}
	return g.mu.lost
}

// isOutOfMemory reports whether the driver has no memory left.
func isOutOfMemory(err error) bool {
	failed, ok := errors.AsType[*driver.Error](err)
	return ok && failed.Code == outOfMemory
}
