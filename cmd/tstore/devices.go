package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/mmapstore"
)

// deviceJSON is a processor that tstore knows of, or why there are no GPUs.
type deviceJSON struct {
	Device     string `json:"device"`
	Name       string `json:"name"`
	Memory     int64  `json:"memory"`
	Capability string `json:"capability"`
	Driver     string `json:"driver"`
	Missing    string `json:"missing"`

	Rates *measure.Rates `json:"rates,omitempty"`
}

func newDevices(a *app) *cobra.Command {
	var asJSON, measured bool
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "Show the CPU and the GPUs",
		Long: `Show the CPU and the GPUs: memory, the compute capability of a GPU, and the newest
CUDA that its driver knows. Without a GPU it says why there is none. GPUs are seen by
tstore-cuda, which this command hands over to if it is there.

--measure measures how fast the GPUs are, in about a second each: what --device auto
compares. The rates are kept in the user's cache folder, where --device auto finds them.`,
		Example: "  tstore devices --json\n  tstore devices --measure",
		GroupID: groupMaintain,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := append([]deviceJSON{describeCPU()}, a.describeGPUs()...)
			var failed error
			if measured {
				failed = measureAll(cmd.Context(), list)
			}

			// What there is, is told also where a GPU can't be measured.
			show := a.printDevices
			if asJSON {
				show = a.writeDevices
			}
			return errors.Join(failed, show(list))
		},
	}

	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a device")
	cmd.Flags().BoolVar(&measured, "measure", false, "measure how fast the GPUs are")
	return cmd
}

// measureAll adds the rates of the GPUs that can be measured.
func measureAll(ctx context.Context, list []deviceJSON) error {
	var errs []error
	for i := range list {
		place, err := mmapstore.ParsePlace(list[i].Device)
		if _, isGPU := place.GPU(); err != nil || !isGPU || list[i].Missing != "" {
			continue
		}
		rates, err := measureGPU(ctx, place)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			errs = append(errs, fmt.Errorf("%v can't be measured: %w", place, err))
		default:
			list[i].Rates = &rates
		}
	}
	return errors.Join(errs...)
}

func describeCPU() deviceJSON {
	return deviceJSON{
		Device: mmapstore.CPU.String(),
		Name:   fmt.Sprintf("%s, %s", runtime.GOARCH, plural(runtime.GOMAXPROCS(0), "processor")),
		Memory: compute.MachineMemory(),
	}
}

// describeGPUs lists the GPUs. Without any it returns one line that says why.
func (a *app) describeGPUs() []deviceJSON {
	// tstore-cuda goes on with the command. Here it is missing.
	err := a.handOver()
	var gpus []cudabridge.Device
	if err == nil {
		gpus, err = cudabridge.Devices()
	}
	var version cudabridge.Version
	if err == nil {
		version, err = cudabridge.DriverVersion()
	}
	if err != nil {
		return []deviceJSON{{Device: "gpu", Missing: err.Error()}}
	}

	var list []deviceJSON
	for _, d := range gpus {
		list = append(list, deviceJSON{
			Device:     d.Place.String(),
			Name:       d.Name,
			Memory:     d.TotalBytes,
			Capability: fmt.Sprintf("%d.%d", d.Major, d.Minor),
			Driver:     version.String(),
		})
	}
	return list
}

func (a *app) writeDevices(list []deviceJSON) error {
	for _, d := range list {
		if err := writeJSON(a.stdout, d); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printDevices(list []deviceJSON) error {
	t := table{right: map[int]bool{1: true}}
	t.add("DEVICE", "MEMORY", "CAPABILITY", "CUDA", "NAME")
	var missing, rates strings.Builder
	for _, d := range list {
		if d.Missing != "" {
			fmt.Fprintf(&missing, "no GPU: %s\n", printable(d.Missing))
			continue
		}
		if d.Rates != nil {
			fmt.Fprintf(&rates, "%s: %v\n", d.Device, d.Rates)
		}
		t.add(d.Device, humanBytes(d.Memory), d.Capability, d.Driver, printable(d.Name))
	}
	if err := t.write(a.stdout); err != nil {
		return err
	}
	_, err := fmt.Fprint(a.stdout, rates.String(), missing.String())
	return err
}
