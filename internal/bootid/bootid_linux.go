package bootid

import (
	"os"
	"strings"
)

// read reads the kernel's random id; see random(4).
func read() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
