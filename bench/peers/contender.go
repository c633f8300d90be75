package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// A contender is a process that does rows. It answers each line of its standard input with one of
// its output.
type contender struct {
	name    string
	version string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// A reply is what a contender says about one run.
type reply struct {
	seconds float64
	check   float64
	none    bool // it has no such operation
}

// errAnswer says that a contender failed at a row; it can go on with others.
type errAnswer string

func (e errAnswer) Error() string { return string(e) }

// launch starts a program and waits until it is ready.
func launch(ctx context.Context, name string, log io.Writer, args ...string) (*contender, error) {
	c := &contender{name: name, cmd: exec.CommandContext(ctx, args[0], args[1:]...)}
	c.cmd.Stderr = log

	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}

	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewReader(out)

	line, err := c.out.ReadString('\n')
	version, ready := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ready {
		return nil, fmt.Errorf("%s did not start: %q, %w", name, line, errors.Join(err, c.close()))
	}

	c.version = version
	return c, nil
}

// ask has the contender do a row once.
func (c *contender) ask(request string) (reply, error) {
	if _, err := fmt.Fprintln(c.in, request); err != nil {
		return reply{}, err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return reply{}, fmt.Errorf("%s ended during %q: %w", c.name, request, err)
	}
	return parseReply(c.name, strings.TrimSpace(line))
}

func parseReply(name, line string) (r reply, err error) {
	fields := strings.Fields(line)
	switch {
	case line == "none":
		return reply{none: true}, nil
	case len(fields) == 3 && fields[0] == "ok":
		var errs [2]error
		r.seconds, errs[0] = strconv.ParseFloat(fields[1], 64)
		r.check, errs[1] = strconv.ParseFloat(fields[2], 64)
		return r, errors.Join(errs[:]...)
	case len(fields) > 0 && fields[0] == "error":
		return r, errAnswer(name + ": " + strings.TrimPrefix(line, "error "))
	}
	return r, fmt.Errorf("%s answered %q", name, line)
}

// close ends the process.
func (c *contender) close() error {
	return errors.Join(c.in.Close(), c.cmd.Wait())
}
