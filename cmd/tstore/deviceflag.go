package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

// deviceVariable holds what --device is where it is not given.
const deviceVariable = "TSTORE_DEVICE"

// deviceFlag says what computes: the CPU, a GPU, or what is expected to be faster.
type deviceFlag struct {
	place mmapstore.Place
	auto  bool
}

// String returns the form that Set reads.
func (f *deviceFlag) String() string {
	if f.auto {
		return "auto"
	}
	return f.place.String()
}

// Set reads cpu, auto, or a GPU: gpu:N, which CUDA's users write as cuda:N.
func (f *deviceFlag) Set(text string) error {
	if text == "auto" {
		*f = deviceFlag{auto: true}
		return nil
	}
	own := text
	if rest, ok := strings.CutPrefix(text, "cuda"); ok {
		own = "gpu" + rest
	}
	place, err := mmapstore.ParsePlace(own)
	if err != nil {
		return fmt.Errorf("device %q: want cpu, gpu:N (such as gpu:0) or auto", text)
	}
	*f = deviceFlag{place: place}
	return nil
}

// Type is what help shows for the value.
func (f *deviceFlag) Type() string { return "WHERE" }

// chooseDevice looks where a command is to compute, before it reads anything. For a GPU the process
// may become another program.
func (a *app) chooseDevice(cmd *cobra.Command) error {
	flag := cmd.Flags().Lookup("device")
	if flag == nil {
		return nil
	}

	asked := "--device"
	device := flag.Value.(*deviceFlag)
	if text := a.device; text != "" && !flag.Changed {
		asked = "$" + deviceVariable
		if err := device.Set(text); err != nil {
			return badValue(asked, flag, text, err)
		}
	}

	memory := int64(*cmd.Flags().Lookup("device-memory").Value.(*bytesFlag))
	if device.auto {
		a.mayUseGPU(memory)
		return nil
	}
	if _, isGPU := device.place.GPU(); !isGPU {
		return nil
	}
	if err := a.useGPU(device.place, memory); err != nil {
		return fmt.Errorf("%s %v: %w", asked, device.place, err)
	}
	return nil
}

// closeGPU gives the GPU back that chooseDevice may have opened. That it does not take all back does
// no harm to what was computed, and the system takes the rest when the process ends. A device that
// is lost was told of.
func (a *app) closeGPU() {
	gpu := a.gpu
	if a.gpu, a.rates = nil, nil; gpu == nil {
		return
	}
	if err := gpu.Close(); err != nil && !errors.Is(err, device.ErrLost) {
		a.note("%v", err)
	}
}
