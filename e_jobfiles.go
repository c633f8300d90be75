package tstore

import (
	"path"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// jobData is the file of a storage's elements while a job makes it.
func jobData(id catalog.ID) string { return path.Join(tmpDir, path.Base(finalFile(id))) }

// finalFile is what that file becomes.
func finalFile(id catalog.ID) string { return catalog.Storage{ID: id}.File() }

// jobSumsFile is the file of the checksums of what is done, without a header.
func jobSumsFile(id catalog.ID) string { return jobExtra(id, 1) }

// jobExtra is a file of a job, of number 1 or 2, for what is not elements.
func jobExtra(id catalog.ID, n uint64) string {
	return path.Join(tmpDir, path.Base(storeFile{id: id, sums: n}.path()))
}

// jobFiles are all files that a job may have that makes so many more tensors than one. Its data has the final name when the
// process died before the commit that was to finish the job.
func jobFiles(id catalog.ID, more int) []string {
	files := []string{jobExtra(id, 1), jobExtra(id, 2)}
	for i := range more + 1 {
		part := id.Part(i)
		if i == 0 {
			part = id
		}
		files = append(files, jobData(part), finalFile(part))
	}
	return files
}

// isJobFile reports whether a file belongs to a job.
func isJobFile(c *catalog.Tx, file string) (bool, error) {
	f, ok := parseStoreFile(path.Base(file))
	if !ok || !slices.Contains(jobFiles(f.id, 0), file) {
		return false, nil
	}
	if there, err := c.HasJob(f.id); there || err != nil {
		return there, err
	}
	return c.HasJob(f.id.Whole())
}
