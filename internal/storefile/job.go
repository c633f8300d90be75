package storefile

import (
	"path"

	"github.com/tstore/tstore/catalog"
)

// JobData returns the file of a storage's elements while a job makes it.
func JobData(id catalog.ID) string { return path.Join(TmpDir, path.Base(Final(id))) }

// Final returns what that file becomes.
func Final(id catalog.ID) string { return catalog.Storage{ID: id}.File() }

// JobSums returns the file of a job's checksums, which has no header.
func JobSums(id catalog.ID) string { return JobExtra(id, 1) }

// JobExtra returns file 1 or 2 of a job. These files hold no elements.
func JobExtra(id catalog.ID, n uint64) string {
	return path.Join(TmpDir, path.Base(Name{ID: id, Sums: n}.Path()))
}

// JobFiles returns all files that a job may have that makes so many more tensors than one. Its data
// has the final name when the process died before the commit that was to finish the job.
func JobFiles(id catalog.ID, more int) []string {
	files := []string{JobExtra(id, 1), JobExtra(id, 2)}
	for i := range more + 1 {
		part := id.Part(i)
		if i == 0 {
			part = id
		}
		files = append(files, JobData(part), Final(part))
	}
	return files
}
