// Package disklog makes the states in which a power cut can leave a disk. A disk with a volatile
// write cache notes what is written to it and when it is flushed (Append), with marks for what
// users of the disk were promised meanwhile. Read gives the log back, and a Disk goes through it:
// at each point, what came before the last flush is durable, and what came after it may have
// reached the medium or not, in any order, a write perhaps only in part.
//
// The program in internal/disklog/_faultdisk is such a disk, for the file systems of Linux.
package disklog
