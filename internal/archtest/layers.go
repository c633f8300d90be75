package archtest

import (
	"path"
	"slices"
	"strings"
)

// layers lists the folders of the repository from the highest layer to the lowest. A package may
// import packages of its own layer and of lower ones. A folder belongs to the layer that names it
// or its nearest parent; "." is the root package alone.
var layers = [][]string{
	{"cmd", "bench"},
	{"cudabridge"},
	{"internal/crashtest"},
	{"internal/storetest"},
	{"interchange"},
	{"."},
	{"internal/backup", "internal/work"},
	{"internal/check", "internal/snapshots"},
	{"internal/store"},
	{"compute"},
	{"compute/internal/bind"},
	{"compute/internal/count"},
	{"compute/internal/pass"},
	{"compute/internal/graph"},
	{"compute/internal"},
	{"compute/device"},
	{"internal/engine"},
	{"internal/mapped", "internal/storefile", "internal/blockscan"},
	{"internal/record"},
	{"catalog"},
	{"view"},
	{"mmapstore"},
	{"internal/npyheader"},
	{"dtype"},
	{"internal"},
	{"testdata"},
}

// apart lists imports that go downward and are forbidden all the same: records can be read and
// tested without a mapped file, and shapes without a catalog. Expressions know nothing of stores.
var apart = map[string][]string{
	"catalog":         {"view", "mmapstore"},
	"internal/backup": {"internal/work"},
	"internal/work":   {"internal/backup", "internal/check"},
	"compute":         {"internal/engine", "internal/mapped", "internal/storefile", "internal/blockscan", "internal/record", "catalog"},
}

// behindAPI are the packages whose tests may use the API: what they do shows there. testsOfAPI are
// what such tests may import although it lies above.
var (
	behindAPI  = []string{".", "internal/backup", "internal/work", "internal/check", "internal/snapshots", "internal/store", "internal/engine"}
	testsOfAPI = []string{".", "internal/storetest"}
)

// mayTestWith reports whether tests in a folder that are packages of their own may import folder
// to, whatever the layers.
func mayTestWith(dir, to string) bool {
	return slices.Contains(behindAPI, dir) && slices.Contains(testsOfAPI, to)
}

// layerOf returns the rank of a folder in layers, and the folder named there. ok is false if no
// layer names it.
func layerOf(dir string) (rank int, name string, ok bool) {
	for at := dir; ; at = path.Dir(at) {
		for rank, names := range layers {
			for _, name := range names {
				if name == at && (name != "." || dir == ".") {
					return rank, name, true
				}
			}
		}
		if at == "." {
			return 0, "", false
		}
	}
}

// importBreach says what is wrong with a package in folder from importing the one in folder to, or
// "".
func importBreach(from, to string) string {
	fromRank, fromLayer, ok := layerOf(from)
	if !ok {
		return "" // said once for the file itself
	}

	toRank, toLayer, ok := layerOf(to)
	switch {
	case !ok:
		return "imports " + to + ", which belongs to no layer"
	case toRank < fromRank:
		return "imports upward: " + to + " (layer " + toLayer + ") lies above layer " + fromLayer
	}

	for _, other := range apart[fromLayer] {
		if toLayer == other {
			return "imports " + to + ": " + fromLayer + " and " + other + " do not know each other"
		}
	}

	return ""
}

// isCommand reports whether a folder holds a program, or what packages are made or tested with.
// Beside tests, only programs may end their process.
func isCommand(dir string) bool {
	return dir == "internal/storetest" || strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "bench/") || strings.Contains(dir, "/_")
}
