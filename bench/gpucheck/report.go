package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/tstore/tstore/compute/devicecheck"
	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/internal/ptxvm/ptxcase"
)

// A report is the file of figures.
type report struct {
	Time     time.Time `json:"time"`
	Revision string    `json:"revision"`
	System   string    `json:"system"`
	CPU      string    `json:"cpu"`
	CPUs     int       `json:"cpus"`
	Memory   string    `json:"memory"`

	GPU        string `json:"gpu"`
	Capability string `json:"capability"`
	GPUMemory  int64  `json:"gpu_memory"` // bytes
	GPULimit   int64  `json:"gpu_limit"`  // bytes that may be taken by default
	Driver     string `json:"driver"`     // the version of CUDA that it knows

	Scale   float64              `json:"scale"`
	Seed    uint64               `json:"seed"`
	Figures []devicecheck.Figure `json:"figures"`
}

// newReport looks at the machine.
func (c *config) newReport() (*report, error) {
	d, err := c.open(0)
	if err != nil {
		return nil, err
	}
	info := d.Info()
	version, err := cudabridge.DriverVersion()
	if err := errors.Join(err, d.Close()); err != nil {
		return nil, err
	}
	return &report{
		Time: time.Now().UTC().Truncate(time.Second), Revision: revision(),
		System: runtime.GOOS + "/" + runtime.GOARCH + " " + line("/proc/sys/kernel/osrelease", ""),
		CPU:    line("/proc/cpuinfo", "model name"), CPUs: runtime.NumCPU(), Memory: line("/proc/meminfo", "MemTotal"),
		GPU: info.Name, Capability: fmt.Sprintf("%d.%d", info.Major, info.Minor),
		GPUMemory: info.TotalBytes, GPULimit: info.LimitBytes, Driver: version.String(),
		Scale: c.scale, Seed: c.seed,
	}, nil
}

// title is the first line of the table.
func (r *report) title() string {
	return fmt.Sprintf("%s, %s, capability %s, CUDA %s; %s, %d processors, %s",
		r.GPU, humanize.IBytes(uint64(r.GPUMemory)), r.Capability, r.Driver, r.CPU, r.CPUs, r.System)
}

// count returns how many figures have a verdict.
func (r *report) count(v devicecheck.Verdict) (n int) {
	for _, f := range r.Figures {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// summary is the last line of the table.
func (r *report) summary() string {
	return fmt.Sprintf("%d ok, %d missed, %d wrong, %d skipped",
		r.count(devicecheck.OK), r.count(devicecheck.Missed), r.count(devicecheck.Wrong), r.count(devicecheck.Skipped))
}

// write writes the file.
func (r *report) write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}

// writeGolden writes what the GPU computed of each instruction.
func writeGolden(path string, g *ptxcase.Golden) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(g.Write(f), f.Close())
}

// revision returns that of the source.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var text []string
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" && s.Value == "true" {
			text = append(text, strings.Replace(s.Value, "true", "modified", 1))
		}
	}
	return strings.Join(text, " ")
}

// line returns the value of the first line of a file that has a key; "" if there is none.
func line(path, key string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), key); ok {
			return strings.TrimSpace(strings.TrimLeft(rest, " \t:"))
		}
	}
	return ""
}
