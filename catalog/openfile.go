package catalog

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/internal/fsx"
)

// openFile opens a file of the catalog's, for bbolt too: it must be one, and neither a link, which whoever can write to
// the folder could make lead anywhere, nor a pipe, for which opening would wait.
func openFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return fsx.OpenWithin(filepath.Dir(name), name, flag, perm)
}
