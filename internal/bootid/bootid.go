// Package bootid tells the starts of the machine apart.
package bootid

import "sync"

// Get returns a text that names the present start of the system: up to 64 printable characters, the
// same in all processes until the next start. It is empty if the system does not tell.
var Get = sync.OnceValue(func() string {
	id := read()
	if len(id) > 64 {
		return id[:64]
	}
	return id
})
