package tstore

import (
	"path"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// jobData is the file of a job's elements while it is made.
func jobData(id catalog.ID) string { return path.Join(tmpDir, path.Base(finalFile(id))) }

// finalFile is what that file becomes.
func finalFile(id catalog.ID) string { return catalog.Storage{ID: id}.File() }

// jobSumsFile is the file of the checksums of what is done, without a header.
func jobSumsFile(id catalog.ID) string {
	return path.Join(tmpDir, path.Base(storeFile{id: id, sums: 1}.path()))
}

// jobFiles are all files that a job may have. Its data has the final name when the
// process died before the commit that was to finish the job.
func jobFiles(id catalog.ID) []string { return []string{jobData(id), jobSumsFile(id), finalFile(id)} }

// isJobFile reports whether a file belongs to a job.
func isJobFile(c *catalog.Tx, file string) (bool, error) {
	f, ok := parseStoreFile(path.Base(file))
	if !ok || !slices.Contains(jobFiles(f.id), file) {
		return false, nil
	}
	return c.HasJob(f.id)
}
