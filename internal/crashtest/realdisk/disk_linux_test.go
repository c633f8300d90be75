package realdisk_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore/internal/disklog"
	"github.com/tstore/tstore/internal/fsx"
)

var (
	faultDisk = flag.String("fault-disk", "", "the program built from internal/disklog/_faultdisk, for the tests of real file systems, which take root: make crash-fs")
	realSeed  = flag.Uint64("real-seed", 1, "seed of the work and of the states in the tests of real file systems")
)

// realFS is a file system on a small disk.
type realFS struct {
	name  string
	bytes int64
	mkfs  []string
}

var realFileSystems = []realFS{
	{"ext4", 64 << 20, []string{"-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"}},
	{"xfs", 300 << 20, []string{"-q", "-f"}},
	{"btrfs", 128 << 20, []string{"-q", "-f"}},
}

// onRealFileSystems runs a test on each file system that can be made here.
func onRealFileSystems(t *testing.T, test func(t *testing.T, fsys realFS), names ...string) {
	t.Helper()
	if *faultDisk == "" {
		t.Skip("takes root, and a disk that fails: make crash-fs")
	}
	for _, fsys := range realFileSystems {
		if len(names) > 0 && !strings.Contains(strings.Join(names, " "), fsys.name) {
			continue
		}
		t.Run(fsys.name, func(t *testing.T) {
			if os.Geteuid() != 0 {
				t.Skip("SKIPPED: this takes root")
			}
			if _, err := exec.LookPath("mkfs." + fsys.name); err != nil {
				t.Skipf("SKIPPED: %v", err)
			}
			if _, err := os.Stat("/dev/loop-control"); err != nil {
				t.Skipf("SKIPPED: no loop devices: %v", err)
			}
			test(t, fsys)
		})
	}
}

// image makes a file with the file system in it.
func (f realFS) image(t *testing.T, bytes int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), f.name)
	file, err := os.Create(path)
	if err == nil {
		err = errors.Join(file.Truncate(bytes), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, "mkfs."+f.name, append(f.mkfs, path)...)
	return path
}

func mustRun(t testing.TB, program string, args ...string) {
	t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v: %s", program, args, err, out)
	}
}

// mount mounts a file with a file system in it, until the returned function is called or the test
// ends.
func mount(t testing.TB, image string, options ...string) (dir string, unmount func() error) {
	t.Helper()
	dir = t.TempDir()
	mustRun(t, "mount", "-o", strings.Join(append(options, "loop"), ","), image, dir)
	mounted := true
	unmount = func() error {
		if !mounted {
			return nil
		}
		mounted = false
		out, err := exec.Command("umount", dir).CombinedOutput()
		if err != nil {
			return fmt.Errorf("umount %s: %w: %s", dir, err, out)
		}
		return nil
	}
	t.Cleanup(func() {
		if err := unmount(); err != nil {
			t.Error(err)
		}
	})
	return dir, unmount
}

// copySparse makes a copy of a file, with its holes.
func copySparse(from, to string) (err error) {
	src, err := fsx.OS.OpenFile(from, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := fsx.OS.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	fi, err := src.Stat()
	if err == nil {
		_, err = fsx.Clone(context.Background(), dst, src, fi.Size())
	}
	return errors.Join(err, dst.Close())
}

// failingDisk is a disk with a volatile cache over a file, which can be told to fail.
type failingDisk struct {
	// file is the disk, for a loop device.
	file string
	log  string
	in   io.WriteCloser
	out  *bufio.Scanner
	wait func() error
}

// startFailing runs the program that is the disk, or a folder of a poor file system; see
// internal/disklog/_faultdisk.
func startFailing(t testing.TB, kind, path string) *failingDisk {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skipf("SKIPPED: no FUSE: %v", err)
	}
	dir := t.TempDir()
	d := &failingDisk{file: filepath.Join(dir, "disk"), log: filepath.Join(t.TempDir(), "log")}
	args := []string{kind, dir, path}
	if kind == "disk" {
		args = append(args, d.log)
	} else {
		d.file = dir
	}
	cmd := exec.Command(*faultDisk, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if d.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.out, d.wait = bufio.NewScanner(out), cmd.Wait
	if !d.out.Scan() || d.out.Text() != "ready" {
		t.Fatalf("%s %q did not start: %v", *faultDisk, args, errors.Join(d.in.Close(), d.wait()))
	}
	t.Cleanup(func() {
		if err := d.stop(); err != nil {
			t.Error(err)
			_ = unix.Unmount(dir, unix.MNT_DETACH)
		}
	})
	return d
}

// tell makes the disk obey.
func (d *failingDisk) tell(format string, args ...any) error {
	if _, err := fmt.Fprintf(d.in, format+"\n", args...); err != nil {
		return err
	}
	if !d.out.Scan() || d.out.Text() != "ok" {
		return fmt.Errorf("the disk said %q, %v", d.out.Text(), d.out.Err())
	}
	return nil
}

// stop ends the disk, which must not be in use any more.
func (d *failingDisk) stop() error {
	if d.wait == nil {
		return nil
	}
	err := errors.Join(d.in.Close(), d.wait())
	d.wait = nil
	return err
}

// events is what was written, after stop.
func (d *failingDisk) events(t testing.TB) []disklog.Event {
	t.Helper()
	f, err := os.Open(d.log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events, err := disklog.Read(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	return events
}
