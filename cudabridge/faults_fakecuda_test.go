//go:build cuda && fakecuda && linux

package cudabridge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/cudabridge/internal/fakedriver"
	"github.com/tstore/tstore/mmapstore"
)

// incremented adds 1 to eight bytes.
const incremented = `
.version 7.0
.target sm_70
.address_size 64

.visible .entry main(.param .b64 out)
{
	.reg .b64 %out, %v;
	ld.param.b64 %out, [out];
	ld.global.b64 %v, [%out];
	add.u64 %v, %v, 1;
	st.global.b64 [%out], %v;
	ret;
}
`

// session is a program that uses all of a device, and gives all back, whatever fails.
type session struct {
	closers []func() error
	device  device.Device
	module  device.Module
	queue   device.Queue
	block   mmapstore.Block
	in, out []byte
	at      uint64
}

// run returns all errors of a session.
func run() error {
	s := &session{}
	var failed []error
	for _, step := range []func() error{s.open, s.make, s.copyBlock, s.compute} {
		if err := step(); err != nil {
			failed = append(failed, err)
			break
		}
	}
	for _, c := range slices.Backward(s.closers) {
		failed = append(failed, c())
	}
	return errors.Join(failed...)
}

func (s *session) open() (err error) {
	if s.device, err = cudabridge.Open(mmapstore.GPU(0), nil); err == nil {
		s.closers = append(s.closers, s.device.Close)
	}
	return err
}

func (s *session) make() (err error) {
	if s.block, err = s.device.Alloc(10_000); err != nil {
		return err
	}
	s.closers = append(s.closers, s.block.Free)
	if s.module, err = s.device.Compile(incremented); err != nil {
		return err
	}
	s.closers = append(s.closers, s.module.Close)
	if s.queue, err = s.device.NewQueue(); err != nil {
		return err
	}
	s.closers = append(s.closers, s.queue.Close)

	if s.in, err = s.queue.Stage(8, device.Written); err != nil {
		return err
	}
	if s.out, err = s.queue.Stage(8, device.Read); err != nil {
		return err
	}
	s.at, err = s.queue.Memory(8)
	return err
}

func (s *session) copyBlock() error {
	want, got := bytes.Repeat([]byte{1, 2, 3}, 1000), make([]byte, 3000)
	if _, err := s.block.Device().WriteAt(want, 100); err != nil {
		return err
	}
	if _, err := s.block.Device().ReadAt(got, 100); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errors.New("the block holds other bytes")
	}
	return nil
}

func (s *session) compute() error {
	s.in[0] = 41
	one := [3]int{1, 1, 1}
	l := &device.Launch{Entry: "main", Grid: one, Block: one, Params: []uint64{s.at}}
	if err := s.queue.Upload(s.at, s.in); err != nil {
		return err
	}
	if err := s.queue.Launch(s.module, l); err != nil {
		return err
	}
	if err := s.queue.Download(s.out, s.at); err != nil {
		return err
	}
	if err := s.queue.Wait(context.Background()); err != nil {
		return err
	}
	if s.out[0] != 42 {
		return fmt.Errorf("41 and 1 are %d", s.out[0])
	}
	return nil
}

// steps are what errors of the driver's functions name. Those of Open lose no device.
var steps = map[string]string{
	"cuDriverGetVersion":   "version",
	"cuDeviceGetCount":     "open gpu:0: count CUDA devices",
	"cuDeviceGet":          "open gpu:0: CUDA device 0",
	"cuDeviceGetName":      "open gpu:0: CUDA device 0",
	"cuDeviceTotalMem_v2":  "open gpu:0: CUDA device 0",
	"cuDeviceGetAttribute": "open gpu:0: CUDA device 0",
	"cuCtxCreate_v2":       "open gpu:0: make a context",
	"cuCtxPopCurrent_v2":   "open gpu:0: make a context",
	"cuCtxSetCurrent":      "", // before each of the others
	"cuCtxDestroy_v2":      "give the device back",
	"cuMemGetInfo_v2":      "ask how much memory is free",
	"cuMemAlloc_v2":        "allocate memory",
	"cuMemFree_v2":         "free memory",
	"cuMemHostAlloc":       "allocate staging memory: allocate",
	"cuMemFreeHost":        "free staging memory",
	"cuMemsetD8Async":      "clear memory",
	"cuMemcpyHtoDAsync_v2": "upload",
	"cuMemcpyDtoHAsync_v2": "download",
	"cuStreamCreate":       "make a queue",
	"cuStreamDestroy_v2":   "free a stream",
	"cuStreamSynchronize":  "close a queue",
	"cuEventCreate":        "make a queue",
	"cuEventDestroy_v2":    "free an event",
	"cuEventRecord":        "wait for the device",
	"cuEventSynchronize":   "wait for the device",
	"cuModuleLoadDataEx":   "compile",
	"cuModuleGetFunction":  `compile: find the entry "main"`,
	"cuModuleUnload":       "close a module",
	"cuLaunchKernel":       "launch main",
}

// Each call of the driver fails once, in each of three ways: the error says what was being done,
// nothing is left, and the next session works.
func TestFaults(t *testing.T) {
	set(t, "")
	if err := run(); err != nil {
		t.Fatal(err)
	}
	calls := fakedriver.Calls()

	for function, n := range calls {
		step, known := steps[function]
		if !known {
			t.Errorf("%s is called and not in the table", function)
		}
		for k := range n {
			for _, code := range []int{1, 2, 719} {
				fault := fmt.Sprintf("%s@%d=%d", function, k+1, code)
				set(t, fault)
				err := run()
				checkFault(t, fault, step, code, err)
				if function == "cuCtxDestroy_v2" {
					fakedriver.Exit() // a context that is not destroyed is there to the end
				}
				wantNothing(t, fault)
			}
		}
	}

	set(t, "")
	if err := run(); err != nil {
		t.Errorf("after all faults: %v", err)
	}
	wantNothing(t, "after all faults")
}

// checkFault checks the error of a session in which a function answered code once.
func checkFault(t *testing.T, fault, step string, code int, err error) {
	t.Helper()
	_, isMemory := errors.AsType[*device.MemoryError](err)
	sized := step == steps["cuMemAlloc_v2"] || step == steps["cuMemHostAlloc"]
	inOpen := strings.HasPrefix(step, "open") || strings.HasPrefix(fault, "cuDriver")
	switch {
	case err == nil:
		t.Errorf("%s: no error", fault)
	case isMemory != (sized && code == 2) && step != "":
		t.Errorf("%s: %v: a MemoryError: %v", fault, err, isMemory)
	case !isMemory && !strings.Contains(err.Error(), step):
		t.Errorf("%s: %v, want an error with %q", fault, err, step)
	case errors.Is(err, device.ErrLost) != (code == 719 && !inOpen):
		t.Errorf("%s: %v: ErrLost: %v", fault, err, errors.Is(err, device.ErrLost))
	}
}
