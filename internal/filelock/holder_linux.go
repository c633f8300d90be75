package filelock

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// list returns the locks of a file. F_OFD_GETLK tells no process, since such a lock belongs to
// none, so they are looked for among the descriptors of all processes.
func list(path string) ([]Info, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}

	dirs, err := filepath.Glob("/proc/[0-9]*/fd")
	if err != nil {
		return nil, err
	}

	var all []Info
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
		if err != nil {
			continue
		}
		for _, l := range locksOf(pid, file) {
			l.PID = pid
			all = append(all, l)
		}
	}

	// Sort before the commands are read: each costs an open file, and the order doesn't need them.
	slices.SortStableFunc(all, func(a, b Info) int { return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.PID, b.PID)) })
	for i := range all {
		all[i].Command = command(all[i].PID)
	}
	return all, nil
}

// locksOf returns the locks on a file that a process holds through its descriptors. It leaves out
// what it can't read.
func locksOf(pid int, file os.FileInfo) (all []Info) {
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return nil
	}
	for _, fd := range fds {
		fi, err := os.Stat(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
		if err != nil || !os.SameFile(fi, file) {
			continue
		}
		info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%s", pid, fd.Name()))
		if err == nil {
			all = append(all, parseLocks(string(info))...)
		}
	}
	return all
}

// parseLocks reads the locks of one descriptor, as in
//
//	lock:	1: OFDLCK ADVISORY  WRITE -1 fe:00:9979315 0 1
//
// whose last two words are the first and the last byte. See proc_pid_fdinfo(5).
func parseLocks(fdinfo string) (all []Info) {
	for line := range strings.Lines(fdinfo) {
		words := strings.Fields(line)
		if len(words) < 7 || words[0] != "lock:" || words[2] != "OFDLCK" {
			continue
		}

		l := Info{Mode: Shared, Last: math.MaxInt64}
		if words[4] == "WRITE" {
			l.Mode = Exclusive
		}

		var err, endErr error
		l.First, err = strconv.ParseInt(words[len(words)-2], 10, 64)
		if last := words[len(words)-1]; last != "EOF" {
			l.Last, endErr = strconv.ParseInt(last, 10, 64)
		}

		if err == nil && endErr == nil {
			all = append(all, l)
		}
	}
	return all
}

// command returns the name of a process, or "".
func command(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
