//go:build !(cuda && linux)

package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/mmapstore"
)

// cudaProgram is this program with the build tag cuda.
const cudaProgram = "tstore-cuda"

// errLineDevice refuses a device in a transaction, which another program would not see.
var errLineDevice = errors.New("a line of a transaction can't go on in another program: run " + cudaProgram + " tx instead")

// errNotLinux: there is no tstore-cuda for this system.
var errNotLinux = errors.New("GPUs are reached on Linux alone, by " + cudaProgram)

// useGPU hands over to tstore-cuda, and returns only if that fails.
func (a *app) useGPU(mmapstore.Place, int64) error {
	if a.within != nil {
		return errLineDevice
	}
	return a.handOver()
}

// mayUseGPU hands over to tstore-cuda where there is one. Otherwise the CPU computes.
func (a *app) mayUseGPU(int64) {
	if a.within == nil {
		_ = a.handOver() // whatever is wrong with it, there is no GPU to choose
	}
}

// measureGPU is for tstore-cuda, which alone sees GPUs.
func measureGPU(context.Context, mmapstore.Place) (measure.Rates, error) {
	return measure.Rates{}, cudabridge.ErrUnavailable
}

// handOver replaces the process by tstore-cuda with the same arguments, and returns only if that
// fails. Nothing has been read or opened yet, and files of the runtime are closed on exec.
func (a *app) handOver() error {
	if runtime.GOOS != "linux" {
		return errNotLinux
	}
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find %s: %w", cudaProgram, err)
	}

	program, err := findCUDAProgram(own)
	if err != nil {
		return err
	}
	if err := checkRevision(own, program); err != nil {
		return err
	}

	err = syscall.Exec(program, append([]string{program}, a.args...), os.Environ())
	return fmt.Errorf("start %s: %w", program, err)
}

// findCUDAProgram returns the path of tstore-cuda: beside the program own, or in PATH.
func findCUDAProgram(own string) (string, error) {
	beside := filepath.Join(filepath.Dir(own), cudaProgram)
	if _, err := exec.LookPath(beside); err == nil && !sameFile(own, beside) {
		return beside, nil
	}
	if inPath, err := exec.LookPath(cudaProgram); err == nil && !sameFile(own, inPath) {
		return filepath.Abs(inPath)
	}
	return "", fmt.Errorf("%s is neither in %s nor in PATH: make build-cuda, in the source of this revision, makes it (docs/gpu.md)", cudaProgram, filepath.Dir(own))
}

// sameFile reports whether two paths are one file: a program without the tag may have the name.
func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// checkRevision compares what tstore-cuda was built from with what this program was, without
// running it.
func checkRevision(own, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	mine, _ := debug.ReadBuildInfo()
	if mine == nil || info.Main.Path != mine.Main.Path {
		return fmt.Errorf("%s is no %s: it is %q", program, cudaProgram, info.Path)
	}
	if a, b := buildInfoOf(mine), buildInfoOf(info); a.source() != b.source() {
		return fmt.Errorf("%s is %s, and %s is %s: both must be of one revision", own, a.source(), program, b.source())
	}
	return nil
}

// source says what the program was built from: its version, and the revision where that is known.
func (v buildInfo) source() string {
	text := v.Version
	if v.Revision != "" {
		text += " of revision " + v.Revision
	}
	if v.Modified {
		text += ", modified"
	}
	return text
}
