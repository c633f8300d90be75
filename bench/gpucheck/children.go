package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// The children.
const (
	contractChild = "contract"
	holdChild     = "hold"
)

// held is what a process says that holds memory.
const held = "held\n"

// runChild is what a process does that this program has started.
func (c *config) runChild(ctx context.Context) error {
	switch c.child {
	case contractChild:
		c.runContract()
		return nil
	case holdChild:
		return c.hold()
	}
	return fmt.Errorf("-child %q: want %s or %s", c.child, contractChild, holdChild)
}

// hold takes four fifths of the memory of the device that is free, until the input ends.
func (c *config) hold() error {
	limit, err := c.free()
	if err != nil {
		return err
	}
	d, err := c.open(limit / 3 * 4 / 5 * 4)
	if err != nil {
		return err
	}
	q, err := d.NewQueue()
	if err != nil {
		return errors.Join(err, d.Close())
	}
	if _, err := q.Memory(d.Info().LimitBytes); err != nil {
		return errors.Join(err, q.Close(), d.Close())
	}
	fmt.Print(held)
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, q.Close(), d.Close())
}
