package fsx

import (
	"fmt"
	"strconv"
	"strings"
)

// mountType finds the type of the file system of a path without links in the text of Linux's
// mountinfo (proc(5)), "" if it has none. Of the mounts that hold the path, those of the path's own
// device count, if there are any: others are hidden below a mount that came later, and some file
// systems give their files devices of their own. Of these it is the innermost, and of several on
// one folder the last.
func mountType(text, path string, major, minor uint32) (found string) {
	device := fmt.Sprintf("%d:%d", major, minor)
	var depth int
	var own bool
	for line := range strings.Lines(text) {
		m, ok := parseMount(line)
		if !ok || !isBelow(path, m.folder) {
			continue
		}
		isOwn := m.device == device
		if own && !isOwn || own == isOwn && len(m.folder) < depth {
			continue
		}
		found, depth, own = m.fsType, len(m.folder), isOwn
	}
	return found
}

// mount is a line of mountinfo.
type mount struct{ device, folder, fsType string }

// parseMount reads "36 35 98:0 /root /folder options [fields] - type source options".
func parseMount(line string) (m mount, ok bool) {
	fields := strings.Fields(line)
	for i := 6; i+1 < len(fields); i++ {
		if fields[i] == "-" {
			return mount{fields[2], unescaped(fields[4]), unescaped(fields[i+1])}, true
		}
	}
	return m, false
}

// unescaped reads the octal escapes of blanks and backslashes.
func unescaped(field string) string {
	out := make([]byte, 0, len(field))
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if n, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				out, i = append(out, byte(n)), i+3
				continue
			}
		}
		out = append(out, field[i])
	}
	return string(out)
}

func isBelow(path, folder string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder) && path[len(folder)] == '/'
}
