package mmapstore

import "fmt"

// Leak is a storage that was not released yet. Borrowed memory does not count.
type Leak struct {
	Name  string // the file, or the kind of memory
	Size  int64  // in bytes
	Lost  bool   // nothing refers to the storage any more: it can't be released
	Stack string // where it was made
}

// String tells everything, in several lines.
func (l Leak) String() string {
	state := "open"
	if l.Lost {
		state = "lost"
	}
	return fmt.Sprintf("%s storage of %d bytes over %s, made by\n%s", state, l.Size, l.Name, l.Stack)
}
