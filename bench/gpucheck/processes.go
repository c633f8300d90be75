package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tstore/tstore/compute/devicecheck"
)

// command is this program with other flags, which ends with ctx.
func (c *config) command(ctx context.Context, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	common := []string{
		"-device", c.place.String(), "-dir", c.dir, "-json", os.DevNull, "-golden", os.DevNull,
		"-scale", fmt.Sprint(c.scale), "-time", (c.time / 20).String(),
	}
	return exec.CommandContext(ctx, self, append(common, args...)...), nil
}

// figure is one of something that is right or not.
func figure(name string, err error) devicecheck.Figure {
	f := devicecheck.Figure{Name: name, Verdict: devicecheck.OK}
	if err != nil {
		f.Verdict, f.Note = devicecheck.Wrong, err.Error()
	}
	return f
}

// contract runs the contract suite in a process of its own, which it may end.
func (c *config) contract(ctx context.Context) devicecheck.Figure {
	cmd, err := c.command(ctx, "-child", contractChild)
	if err == nil {
		var out []byte
		if out, err = cmd.CombinedOutput(); err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
	}
	return figure("the contract of package device", err)
}

// processes looks what processes do to each other on one device.
func (c *config) processes(ctx context.Context) []devicecheck.Figure {
	return []devicecheck.Figure{c.holder(ctx), c.twins(ctx), c.killed(ctx)}
}

// free returns the default limit, which is three quarters of what is free.
func (c *config) free() (int64, error) {
	d, err := c.open(0)
	if err != nil {
		return 0, err
	}
	return d.Info().LimitBytes, d.Close()
}

// holder has another process take most memory of the device. What is left can be used, and more is
// refused.
func (c *config) holder(ctx context.Context) devicecheck.Figure {
	const name = "memory taken by another process"
	before, err := c.free()
	if err != nil {
		return figure(name, err)
	}
	cmd, err := c.command(ctx, "-child", holdChild)
	if err != nil {
		return figure(name, err)
	}
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return figure(name, err)
	}

	// It says a word when it has the memory, and goes when its input ends.
	_, err = io.ReadFull(out, make([]byte, len(held)))
	var after int64
	if err == nil {
		after, err = c.free()
	}
	if err == nil && after < before/2 {
		if d, tooMuch := c.open(before); tooMuch == nil {
			err = errors.Join(errors.New("more memory than is free was given"), d.Close())
		}
		err = errors.Join(err, c.again(ctx, "-parts", "^evaluations$", "-scale", fmt.Sprint(min(c.scale, 0.01))))
	}
	err = errors.Join(err, in.Close(), cmd.Wait())
	if err == nil && after >= before/2 {
		return devicecheck.Figure{Name: name, Verdict: devicecheck.Skipped, Note: "the memory that is free does not tell what other processes have"}
	}
	return figure(name, err)
}

// again runs this program, with other flags.
func (c *config) again(ctx context.Context, args ...string) error {
	cmd, err := c.command(ctx, args...)
	if err != nil {
		return err
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// twins has two processes compute on one device at once.
func (c *config) twins(ctx context.Context) devicecheck.Figure {
	ended := make(chan error, 2)
	for seed := range 2 {
		go func() {
			ended <- c.again(ctx, "-parts", "^(random programs|expressions)$", "-seed", fmt.Sprint(seed+2), "-scale", fmt.Sprint(c.scale/10))
		}()
	}
	return figure("two processes on one device", errors.Join(<-ended, <-ended))
}

// killed kills a process that computes. Neither files nor memory of the device are left.
func (c *config) killed(ctx context.Context) devicecheck.Figure {
	const name = "a process that was killed leaves nothing"
	before, err := c.free()
	if err != nil {
		return figure(name, err)
	}
	cmd, err := c.command(ctx, "-parts", "^paged programs$", "-time", c.time.String())
	if err != nil {
		return figure(name, err)
	}
	out, err := cmd.StdoutPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		return figure(name, err)
	}

	// When it has told of one expression it computes the next. To kill one that has ended is an error.
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), " paged "); {
	}
	killed := cmd.Process.Kill()
	if err := cmd.Wait(); killed != nil || err == nil || !strings.Contains(err.Error(), "killed") {
		return devicecheck.Figure{Name: name, Verdict: devicecheck.Skipped, Note: fmt.Sprintf("it ended before: %v", err)}
	}

	// The driver takes the memory back in its own time.
	after, err := c.free()
	for range 50 {
		if err != nil || after >= before-before/50 {
			break
		}
		time.Sleep(100 * time.Millisecond)
		after, err = c.free()
	}
	left, globErr := filepath.Glob(filepath.Join(c.dir, "gpu-check*", "tensor"))
	err = errors.Join(err, globErr)
	switch {
	case err == nil && after < before-before/50:
		err = fmt.Errorf("the default limit of memory was %d bytes, and is %d", before, after)
	case err == nil && len(left) > 0:
		err = fmt.Errorf("files are left: %v", left)
	}
	return figure(name, err)
}
