package main

import (
	"flag"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
)

// contractBytes is the limit of devices of the contract suite, which takes all of it.
const contractBytes = 10 << 20

// runContract runs the contract suite as a test binary does, and ends the process.
func (c *config) runContract() {
	testing.Init()
	if err := flag.CommandLine.Parse(nil); err != nil {
		panic("BUG: flags of no arguments: " + err.Error()) // nothing to parse is never wrong
	}
	suite := testing.InternalTest{Name: "contract", F: func(t *testing.T) {
		devicetest.TestDevice(t, func(t *testing.T) device.Device {
			d, err := c.open(contractBytes)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}, nil)
	}}
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{suite}, nil, nil)
}
