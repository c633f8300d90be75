package engine

import (
	"path"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storefile"
)

// isJobFile reports whether a file belongs to a job.
func isJobFile(c *catalog.Tx, file string) (bool, error) {
	f, ok := storefile.ParseName(path.Base(file))
	if !ok || !slices.Contains(storefile.JobFiles(f.ID, 0), file) {
		return false, nil
	}
	if there, err := c.HasJob(f.ID); there || err != nil {
		return there, err
	}
	return c.HasJob(f.ID.Whole())
}
