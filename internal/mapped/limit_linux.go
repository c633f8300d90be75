package mapped

import (
	"os"
	"strconv"
	"strings"
)

// fallbackMaps is what Linux allows a process to map unless told otherwise.
const fallbackMaps = 65_530

// systemMaps returns how many mappings the process may have.
func systemMaps() int64 {
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err != nil {
		return fallbackMaps
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n <= 0 {
		return fallbackMaps
	}
	return n
}
