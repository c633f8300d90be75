// Package elemio turns whole elements into bytes at any position.
//
// Elements that are computed, or converted while they are read, can be made one by one but not byte
// by byte. [Reader] serves them through io.Reader and io.ReaderAt all the same: it asks a [Fill]
// for whole elements and cuts the first and the last one where a caller wants only a part of them.
package elemio
