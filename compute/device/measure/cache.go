package measure

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/tstore/tstore/compute/device"
)

// A Cache keeps the rates of devices in a folder. The zero value is ready to use, also by several
// goroutines and processes.
//
// Rates count for the driver, the program and the number of processors that they were measured with.
// For others the device is measured anew, and so it is where a file can't be read or holds nonsense.
// That a file can't be written is no error.
type Cache struct {
	// Dir is the folder; "tstore" in os.UserCacheDir if it is empty.
	Dir string
	// Revision tells programs apart; that of the running one's source if it is empty.
	Revision string
	// Options are those of Measure.
	Options Options

	alone sync.Mutex // measurements disturb each other
}

// A record is what a file of a Cache holds.
type record struct {
	Device     string `json:"device"`
	Driver     string `json:"driver"`
	Revision   string `json:"revision"`
	Processors int    `json:"processors"`
	Rates      Rates  `json:"rates"`
}

// Rates returns the rates of a device that are kept, or measures and keeps them.
func (c *Cache) Rates(ctx context.Context, d device.Device) (Rates, error) {
	c.alone.Lock()
	defer c.alone.Unlock()
	want := c.record(d)
	if path, err := c.path(want.Device); err == nil {
		kept, err := read(path)
		want.Rates = kept.Rates
		if err == nil && kept == want {
			return kept.Rates, nil
		}
	}
	return c.measureLocked(ctx, d)
}

// Measure measures a device and keeps its rates, whether there are some or not.
func (c *Cache) Measure(ctx context.Context, d device.Device) (Rates, error) {
	c.alone.Lock()
	defer c.alone.Unlock()
	return c.measureLocked(ctx, d)
}

func (c *Cache) measureLocked(ctx context.Context, d device.Device) (Rates, error) {
	r := c.record(d)
	var err error
	if r.Rates, err = Measure(ctx, d, &c.Options); err != nil {
		return Rates{}, err
	}
	if path, err := c.path(r.Device); err == nil {
		_ = write(path, &r) // the next one measures again
	}
	return r.Rates, nil
}

// record returns what the file of a device must say, but for the rates.
func (c *Cache) record(d device.Device) record {
	i := d.Info()
	return record{Device: i.Name, Driver: i.Driver, Revision: cmp.Or(c.Revision, revision()), Processors: runtime.GOMAXPROCS(0)}
}

// revision returns that of the source of the running program, or the version where it is unknown.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	r := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			r = s.Value
		}
	}
	return r
}

// path returns the file of a device. Names of devices can be anything.
func (c *Cache) path(name string) (string, error) {
	dir := c.Dir
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(user, "tstore")
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return filepath.Join(dir, fmt.Sprintf("device-%016x.json", h.Sum64())), nil
}

// maxRecord is more than a record has.
const maxRecord = 64 << 10

// read returns the record of a file that makes sense.
func read(path string) (r record, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return r, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxRecord {
		return r, fmt.Errorf("%s is no file of at most %d bytes", path, maxRecord)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, err
	}
	return r, r.Rates.check()
}

// write replaces a file at once: who reads it finds the old record or the new one.
func write(path string, r *record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "device-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
