package fsx

import (
	"errors"

	"golang.org/x/sys/windows"
)

// InUse reports whether an error says that a file can't be removed or replaced because somebody has
// it open or mapped. To remove a file that is mapped is refused as access is; one that may not be
// removed at all can't be told from it.
func InUse(err error) bool {
	for _, held := range []error{windows.ERROR_ACCESS_DENIED, windows.ERROR_SHARING_VIOLATION, windows.ERROR_USER_MAPPED_FILE} {
		if errors.Is(err, held) {
			return true
		}
	}
	return false
}
