package filelock

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Info is a lock that some process holds on a range of bytes.
type Info struct {
	First, Last int64 // the last byte is included
	Mode        Mode
	PID         int    // of a process that has a descriptor with the lock
	Command     string // the name of the process, or ""
}

// List returns the locks on the file at path, in the order of their first bytes. It works on Linux
// alone and returns ErrUnsupported elsewhere. Locks of processes that this one may not look at are
// missing. List takes milliseconds, and its answer is out of date at once.
func List(path string) ([]Info, error) { return list(path) }

// maxHolders bounds how many processes Holder names.
const maxHolders = 3

// Holder names, for an error message, who holds a lock on the byte at off of the file at path:
// "process 12 (tstore)", "this process", or several of them. It is empty if that can't be found
// out; see List.
func Holder(path string, off int64) string {
	locks, err := List(path)
	if err != nil {
		return ""
	}

	var all []string

	// A process that waits for a lock, or holds it twice, is listed more than once.
	for _, l := range locks {
		who := l.Who()
		if off < l.First || off > l.Last || slices.Contains(all, who) {
			continue
		}
		if len(all) == maxHolders {
			all = append(all, "others")
			break
		}
		all = append(all, who)
	}

	return strings.Join(all, " and ")
}

// Who names the process for a person.
func (l Info) Who() string {
	switch {
	case l.PID == os.Getpid():
		return "this process"
	case l.Command == "":
		return fmt.Sprintf("process %d", l.PID)
	}
	return fmt.Sprintf("process %d (%s)", l.PID, l.Command)
}
