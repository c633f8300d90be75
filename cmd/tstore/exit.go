package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// errFound ends a command that did its work and found a difference or a problem. It has been
// printed already.
var errFound = errors.New("found")

// errNoReader ends a command whose output nobody reads any more, as in a pipe to head. That is
// nothing to tell.
var errNoReader = errors.New("nobody reads the output")

// exits is the one table of exit codes; help is printed from it.
var exits = []struct {
	code    int
	meaning string
	matches func(error) bool
}{
	{0, "done; diff: the same; fsck, verify: no problem", func(err error) bool { return err == nil }},
	{1, "diff: different; fsck, verify, backup, restore: problems found", func(err error) bool { return errors.Is(err, errFound) }},
	{129, "ended by a hangup (SIGHUP)", bySignal(syscall.SIGHUP)},
	{130, "ended by an interrupt (Ctrl-C, SIGINT)", bySignal(syscall.SIGINT)},
	{143, "ended by SIGTERM", bySignal(syscall.SIGTERM)},
	{141, "nobody reads the output any more, as in a pipe to head", func(err error) bool { return errors.Is(err, errNoReader) }},
	{2, "an error: one line on standard error says what", func(error) bool { return true }},
}

func exitCode(err error) int {
	for _, e := range exits {
		if e.matches(err) {
			return e.code
		}
	}
	panic("BUG: the table of exit codes has no last line")
}

func exitHelp() string {
	var b strings.Builder
	for _, e := range exits {
		fmt.Fprintf(&b, "  %d  %s\n", e.code, e.meaning)
	}
	return b.String()
}
