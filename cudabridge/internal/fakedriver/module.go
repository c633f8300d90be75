//go:build cuda && fakecuda && linux

package fakedriver

import (
	stdcontext "context"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/internal/ptxvm"
)

// module is a CUmodule.
type module struct {
	context *context
	vm      *ptxvm.Module
}

// function is a CUfunction.
type function struct {
	module *module
	entry  string
	params []int // bytes of each
}

// loadModule compiles the text of a module for the current context. why is what the compiler says.
func (d *driver) loadModule(text string) (handle uintptr, fail code, why string) {
	c, fail := d.current()
	if fail != success {
		return 0, fail, ""
	}
	m, err := d.vm.Load(text)
	if err != nil {
		return 0, invalidPTX, err.Error()
	}
	if has := d.settings().capability; m.Target() > has {
		m.Unload()
		return 0, noBinaryForGPU, fmt.Sprintf("the code is for sm_%d, and the device is sm_%d", m.Target(), has)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.modules.add(&module{c, m}), success, ""
}

// unloadModule forgets a module and its functions.
func (d *driver) unloadModule(handle uintptr) code {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.mu.modules.get(handle); !ok {
		return invalidHandle
	}
	d.unloadLocked(handle)
	return success
}

func (d *driver) unloadLocked(handle uintptr) {
	m, _ := d.mu.modules.get(handle)
	m.vm.Unload()
	d.mu.modules.remove(handle)
	for h, f := range d.mu.functions.things {
		if f.module == m {
			d.mu.functions.remove(h)
		}
	}
}

// findFunction returns a handle of an entry of a module.
func (d *driver) findFunction(handle uintptr, entry string) (uintptr, code) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m, ok := d.mu.modules.get(handle)
	if !ok {
		return 0, invalidHandle
	}
	params, ok := m.vm.Params(entry)
	if !ok {
		return 0, notFound
	}
	return d.mu.functions.add(&function{m, entry, params}), success
}

// launch queues a launch of a function, whose parameters are read at once.
func (d *driver) launch(handle uintptr, l *ptxvm.Launch, params *unsafe.Pointer, stream uintptr) code {
	add, fail := d.queue(stream)
	if fail != success {
		return fail
	}
	c, _ := d.current()
	d.mu.Lock()
	f, ok := d.mu.functions.get(handle)
	d.mu.Unlock()
	if !ok || f.module.context != c {
		return invalidHandle
	}
	if params == nil && len(f.params) > 0 {
		return invalidValue
	}

	for i, p := range unsafe.Slice(params, len(f.params)) {
		var word [8]byte
		copy(word[:], unsafe.Slice((*byte)(p), f.params[i]))
		l.Params = append(l.Params, binary.LittleEndian.Uint64(word[:]))
	}
	if f.module.vm.Check(f.entry, l) != nil {
		return invalidValue
	}
	_, fail = add(func() error { return f.module.vm.Launch(stdcontext.Background(), f.entry, l) })
	return fail
}
