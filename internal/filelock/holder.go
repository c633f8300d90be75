package filelock

import (
	"fmt"
	"os"
	"strings"
)

// maxHolders bounds how many processes Holder names.
const maxHolders = 3

// Holder says for a person who holds a lock on the byte at off of the file at path: "process 12 (tstore)", "this
// process", or several of them. It is empty where that cannot be told: the kernel tells it on Linux alone, and only of
// processes that this one may look at. It takes milliseconds, and is out of date at once: use it for errors only.
func Holder(path string, off int64) string {
	var all []string
	for _, pid := range holders(path, off) {
		if len(all) == maxHolders {
			all = append(all, "others")
			break
		}
		all = append(all, describe(pid))
	}
	return strings.Join(all, " and ")
}

func describe(pid int) string {
	if pid == os.Getpid() {
		return "this process"
	}
	return fmt.Sprintf("process %d%s", pid, command(pid))
}
