//go:build cuda && fakecuda && linux

package fakedriver

import (
	"fmt"
	"strconv"
	"strings"
)

// settings are what $FAKECUDA says.
type settings struct {
	devices int
	memory  int64
	version int
	// capability is that of all devices, 90 for 9.0.
	capability int
	faults     map[fault]code
}

// fault is a call that fails: the n-th of a function, from 1.
type fault struct {
	function string
	n        int
}

// parseSettings reads a list like "memory=1000000,cuMemAlloc_v2@3=2". Functions are those that
// exists knows.
func parseSettings(text string, exists func(function string) bool) (settings, error) {
	s := settings{devices: 1, memory: 1 << 30, version: 12090, capability: 90, faults: map[fault]code{}}
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		if err := s.add(part, exists); err != nil {
			return settings{}, fmt.Errorf("setting %q: %w", part, err)
		}
	}
	return s, nil
}

// add reads one part of the list.
func (s *settings) add(part string, exists func(string) bool) error {
	key, value, _ := strings.Cut(part, "=")
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("want KEY=NUMBER")
	}

	function, call, isFault := strings.Cut(key, "@")
	switch {
	case isFault:
		at, err := strconv.Atoi(call)
		if err != nil || at < 1 {
			return fmt.Errorf("want FUNCTION@CALL=CODE, with calls counted from 1")
		}
		if !exists(function) {
			return fmt.Errorf("this driver has no function %s", function)
		}
		s.faults[fault{function, at}] = code(n)
	case key == "devices":
		s.devices = int(n)
	case key == "memory":
		s.memory = n
	case key == "version":
		s.version = int(n)
	case key == "capability":
		s.capability = int(n)
	default:
		return fmt.Errorf("want devices, memory, version, capability or FUNCTION@CALL")
	}
	return nil
}
