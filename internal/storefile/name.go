package storefile

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tstore/tstore/catalog"
)

// Name is the parsed name of a file in storages/ or tmp/.
type Name struct {
	ID  catalog.ID
	Gen uint32
	// Sums is the number of a file of checksums; 0 of a storage's file.
	Sums uint64
}

// Path returns where the file belongs, relative to the store.
func (f Name) Path() string {
	st := catalog.Storage{ID: f.ID, Gen: f.Gen}
	if f.Sums == 0 {
		return st.File()
	}
	st.Seal = &catalog.Seal{File: f.Sums}
	return st.SumsFile()
}

// ParseName reads the name of a storage's file, "<id>.npy" or "<id>.<gen>.npy", or of its
// checksums, "<id>.<n>.sums" or "<id>.<gen>.<n>.sums". Other spellings are no such names.
func ParseName(name string) (f Name, ok bool) {
	parts := strings.Split(name, ".")
	last := len(parts) - 1
	id, err := catalog.ParseID(parts[0])
	if err != nil || last < 1 {
		return f, false
	}

	f.ID = id
	numbers, ext := parts[1:last], parts[last]

	// The number before ".sums" tells seals of one file from another; a generation may come before
	// it.
	if ext == "sums" && len(numbers) > 0 {
		n := len(numbers) - 1
		if f.Sums, err = strconv.ParseUint(numbers[n], 10, 64); err != nil || f.Sums == 0 {
			return f, false
		}
		numbers = numbers[:n]
	}

	switch {
	case ext != "npy" && f.Sums == 0 || len(numbers) > 1:
		return f, false
	case len(numbers) == 1:
		gen, err := strconv.ParseUint(numbers[0], 10, 32)
		if err != nil {
			return f, false
		}
		f.Gen = uint32(gen)
	}

	// Other spellings parse too, such as leading zeros: the name must be the one that Path makes.
	full := f.Path()
	return f, full[strings.LastIndexByte(full, '/')+1:] == name
}

// StagedName returns a name in tmp/ for a file that is to have this one: its own, and a random
// part, so that two makers never have one name.
func StagedName(name string) string { return fmt.Sprintf("%s.%016x", name, rand.Uint64()) }

// cutStaged returns the final name of a staged file. It returns other names, such as a job's, as
// they are.
func cutStaged(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || len(name)-i-1 != 16 || strings.Trim(name[i+1:], "0123456789abcdef") != "" {
		return name
	}
	return name[:i]
}

// TmpCatalogEnd ends the names of catalogs in tmp/ that backups make.
const TmpCatalogEnd = ".catalog"

// TmpOwner returns the id whose lock byte tells that a file in tmp/ is in use. The mark that Init
// had there has no owner.
func TmpOwner(name string) (id catalog.ID, ok bool) {
	if f, ok := ParseName(cutStaged(name)); ok {
		return f.ID, true
	}
	if text, ok := strings.CutSuffix(name, TmpCatalogEnd); ok {
		id, err := catalog.ParseID(text)
		return id, err == nil
	}
	return id, name == MarkFile
}
