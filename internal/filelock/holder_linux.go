package filelock

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// holders returns the processes that have a descriptor with a lock on the byte. F_OFD_GETLK tells no process, since
// such a lock belongs to none, so it is looked for among the descriptors of all.
func holders(path string, off int64) []int {
	file, err := os.Stat(path)
	if err != nil {
		return nil
	}
	dirs, err := filepath.Glob("/proc/[0-9]*/fd")
	if err != nil {
		return nil
	}
	var pids []int
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
		if err == nil && hasLock(pid, file, off) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// hasLock reports whether a descriptor of a process holds the byte of file. What can't be read counts as no.
func hasLock(pid int, file os.FileInfo, off int64) bool {
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return false
	}
	for _, fd := range fds {
		fi, err := os.Stat(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
		if err != nil || !os.SameFile(fi, file) {
			continue
		}
		info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%s", pid, fd.Name()))
		if err == nil && coversByte(string(info), off) {
			return true
		}
	}
	return false
}

// coversByte reads the locks of one descriptor, as in
//
//	lock:	1: OFDLCK ADVISORY  WRITE -1 fe:00:9979315 0 1
//
// whose last two words are the first and the last byte. See proc_pid_fdinfo(5).
func coversByte(fdinfo string, off int64) bool {
	for line := range strings.Lines(fdinfo) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "lock:" || words[2] != "OFDLCK" {
			continue
		}
		first, err := strconv.ParseInt(words[len(words)-2], 10, 64)
		last := words[len(words)-1]
		end, endErr := strconv.ParseInt(last, 10, 64)
		if err == nil && first <= off && (last == "EOF" || endErr == nil && off <= end) {
			return true
		}
	}
	return false
}

// command is the name of a process in parentheses, or "".
func command(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (%s)", strings.TrimSpace(string(name)))
}
