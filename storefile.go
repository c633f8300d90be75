package tstore

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tstore/tstore/catalog"
)

// storeFile is what the name of a file in storages/ or tmp/ says.
type storeFile struct {
	id  catalog.ID
	gen uint32
	// sums is the number of a file of checksums; 0 of a storage's file.
	sums uint64
}

// path is where the file belongs, relative to the store.
func (f storeFile) path() string {
	st := catalog.Storage{ID: f.id, Gen: f.gen}
	if f.sums == 0 {
		return st.File()
	}
	st.Seal = &catalog.Seal{File: f.sums}
	return st.SumsFile()
}

// parseStoreFile reads the name of a storage's file, "<id>.npy" or
// "<id>.<gen>.npy", or of its checksums, "<id>.<n>.sums" or
// "<id>.<gen>.<n>.sums". Other spellings are no such names.
func parseStoreFile(name string) (f storeFile, ok bool) {
	parts := strings.Split(name, ".")
	last := len(parts) - 1
	id, err := catalog.ParseID(parts[0])
	if err != nil || last < 1 {
		return f, false
	}
	f.id = id
	numbers, ext := parts[1:last], parts[last]
	if ext == "sums" && len(numbers) > 0 {
		n := len(numbers) - 1
		if f.sums, err = strconv.ParseUint(numbers[n], 10, 64); err != nil || f.sums == 0 {
			return f, false
		}
		numbers = numbers[:n]
	}
	switch {
	case ext != "npy" && f.sums == 0 || len(numbers) > 1:
		return f, false
	case len(numbers) == 1:
		gen, err := strconv.ParseUint(numbers[0], 10, 32)
		if err != nil {
			return f, false
		}
		f.gen = uint32(gen)
	}
	full := f.path()
	return f, full[strings.LastIndexByte(full, '/')+1:] == name
}

// stagedName is a name in tmp/ for a file that is to have this one: its own, and a
// random part, so that two makers never have one name.
func stagedName(name string) string { return fmt.Sprintf("%s.%016x", name, rand.Uint64()) }

// cutStaged returns the name that a staged file is to have. Others, such as a job's,
// are returned as they are.
func cutStaged(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || len(name)-i-1 != 16 || strings.Trim(name[i+1:], "0123456789abcdef") != "" {
		return name
	}
	return name[:i]
}

// tmpCatalogEnd ends the names of catalogs in tmp/ that backups make.
const tmpCatalogEnd = ".catalog"

// tmpOwner is whose lock byte says that a file in tmp/ is in use. The mark that
// Init had there is nobody's.
func tmpOwner(name string) (id catalog.ID, ok bool) {
	if f, ok := parseStoreFile(cutStaged(name)); ok {
		return f.id, true
	}
	if text, ok := strings.CutSuffix(name, tmpCatalogEnd); ok {
		id, err := catalog.ParseID(text)
		return id, err == nil
	}
	return id, name == markFile
}
