//go:build cuda && linux

package cudabridge

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/cudabridge/internal/driver"
	"github.com/tstore/tstore/mmapstore"
)

// cache has the code that is loaded, or that somebody loads, by its text.
type cache struct {
	sync.Mutex
	modules map[string]*module
}

// module is code. Who wants it first loads it.
type module struct {
	cu.Module
	text    string
	entries map[string]entry
	uses    int // that are not closed
	once    sync.Once
	failed  error // why it is not loaded
}

// entry is a kernel, with the number of its parameters: the driver reads as many.
type entry struct {
	cu.Function
	params int
}

// handle is a device.Module: those of the same text share the code.
type handle struct {
	gpu *gpu
	*module
	closed atomic.Bool
}

// Compile implements device.Device. Several texts are compiled at once.
func (g *gpu) Compile(text string) (device.Module, error) {
	const doing = "compile"
	m, err := g.wanted(text)
	if err != nil {
		return nil, g.wrap(doing, err)
	}
	m.once.Do(func() { m.failed = g.do(doing, m.load) })
	if m.failed != nil {
		g.code.forget(m)
		return nil, m.failed
	}
	return &handle{gpu: g, module: m}, nil
}

// wanted returns the module of a text, which may be still to be loaded. The device is not closed
// while it is there.
func (g *gpu) wanted(text string) (*module, error) {
	c := &g.code
	c.Lock()
	defer c.Unlock()
	if err := g.usable(); err != nil {
		return nil, err
	}
	m := c.modules[text]
	if m == nil {
		m = &module{text: text}
		c.modules[text] = m
	}
	m.uses++
	return m, nil
}

// forget removes a module that could not be loaded. Who wants its text again tries again.
func (c *cache) forget(m *module) {
	c.Lock()
	defer c.Unlock()
	if c.modules[m.text] == m {
		delete(c.modules, m.text)
	}
}

// entryPattern finds the entries of a text, and their parameters.
var entryPattern = regexp.MustCompile(`\.entry\s+([\w$%]+)\s*(?:\(([^)]*)\))?`)

// load compiles the text.
func (m *module) load() (err error) {
	if m.Module, err = driver.LoadModule(m.text); err != nil {
		return err
	}
	m.entries = map[string]entry{}
	for _, found := range entryPattern.FindAllStringSubmatch(m.text, -1) {
		f, err := m.Function(found[1])
		if err != nil {
			_ = m.Unload() // the first error tells more
			return fmt.Errorf("find the entry %q: %w", found[1], driver.ErrorOf(err))
		}
		m.entries[found[1]] = entry{f, strings.Count(found[2], ".param")}
	}
	return nil
}

// Close implements device.Module.
func (h *handle) Close() error {
	const doing = "close a module"
	if h.closed.Swap(true) {
		return h.gpu.wrap(doing, mmapstore.ErrClosed)
	}
	c := &h.gpu.code
	c.Lock()
	defer c.Unlock()
	if h.uses--; h.uses > 0 {
		return h.gpu.wrap(doing, h.gpu.lost())
	}
	delete(c.modules, h.text)
	return h.gpu.undo(doing, h.Unload)
}
