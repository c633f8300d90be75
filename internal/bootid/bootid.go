// Package bootid tells the starts of the machine apart.
package bootid

import "sync"

// Get returns a text that is another one after each start of the system, of up to 64 printable
// characters, and the same for all processes until then. It is empty where the system does not
// tell.
var Get = sync.OnceValue(func() string {
	id := read()
	if len(id) > 64 {
		return id[:64]
	}
	return id
})
