package bootid

import "golang.org/x/sys/unix"

// read asks the kernel for the id of its session.
func read() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
