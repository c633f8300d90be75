package kernel

import "unsafe"

// LookupTable returns a copy of a table that functions look numbers up in, as bytes, by the name of
// its variable; nil if there is none of that name. What is written for devices takes its tables
// from here.
func LookupTable(name string) []byte {
	switch name {
	case "tanhHead32":
		return bytesOf(&tanhHead32)
	case "tanhMiddle32":
		return bytesOf(&tanhMiddle32)
	case "tanhPolySingle":
		return bytesOf(&tanhPolySingle)
	case "twoOverPiParts":
		return bytesOf(&twoOverPiParts)
	case "twoOverPiParts64":
		return bytesOf(&twoOverPiParts64)
	}
	return nil
}

func bytesOf[T any](table *T) []byte {
	return append([]byte{}, unsafe.Slice((*byte)(unsafe.Pointer(table)), unsafe.Sizeof(*table))...)
}
