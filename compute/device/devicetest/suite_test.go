package devicetest_test

import (
	"fmt"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
)

var hooks = &devicetest.Hooks{
	Live:  func(d device.Device) any { return d.(*devicetest.Device).Live() },
	Stall: func(d device.Device) func() { return d.(*devicetest.Device).Stall() },
	Lose:  func(d device.Device) { d.(*devicetest.Device).Lose() },
}

func TestSuite(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			devicetest.TestDevice(t, func(*testing.T) device.Device {
				return devicetest.New(&devicetest.Options{Seed: seed, MemoryBytes: 10 << 20})
			}, hooks)
		})
	}
}
