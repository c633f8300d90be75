package manifest

import (
	"time"
)

// Format is the version of manifests that this package writes, and the newest that it reads.
const Format = 1

// Head describes a backup.
type Head struct {
	Format  int       `json:"tstore_backup"`
	ID      string    `json:"id"`                // of the backup
	Store   string    `json:"store"`             // id of the store
	Lineage string    `json:"lineage,omitempty"` // of a store that was restored: which of those with the id it is
	Seq     uint64    `json:"seq"`               // greater than that of the backup that this one follows
	Created time.Time `json:"created"`           // when the state was taken
	Mark    string    `json:"mark"`              // the content of the file STORE
	Synced  bool      `json:"synced"`            // files were synced
	State   string    `json:"state,omitempty"`   // by which the store knows that it has become another since
	Since   []Link    `json:"since,omitempty"`   // the backups that have what this one lacks, the oldest first
}

// Link names an earlier backup.
type Link struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Name    string    `json:"name"` // the file or folder that it was then
}

// File is one file of the store.
type File struct {
	Path   string `json:"path"`           // relative to the store, with slashes
	Key    string `json:"key"`            // of the content
	Header int64  `json:"header"`         // bytes before the payload
	Size   int64  `json:"size"`           // bytes of the payload
	From   int64  `json:"from,omitempty"` // where in the payload the bytes begin that the backup has; all before are in earlier ones
	// HeaderSum is the CRC-32C of the header.
	HeaderSum uint32 `json:"header_sum,omitempty"`
	Sparse    bool   `json:"sparse,omitempty"`
	// Sums are those of the payload from From on, in pieces of ChunkBytes, as hex digits; none
	// before they are known.
	Sums   []string `json:"sums,omitempty"`
	Source Source   `json:"source,omitzero"`
	// Grown says that the header was written after the backup had taken its place, which may not
	// have happened.
	Grown bool `json:"grown,omitempty"`
}

// Source describes what a file was copied from. The next backup recognises a file that has not
// changed by it.
type Source struct {
	Path    string `json:"path"` // relative to the store
	Changes uint64 `json:"changes,omitempty"`
	Header  uint32 `json:"header,omitempty"` // CRC-32C of the header, as the catalog said
	Inode   uint64 `json:"inode,omitempty"`
	Device  uint64 `json:"device,omitempty"`
	Root    string `json:"root,omitempty"` // of the checksums, if it was sealed
	Next    uint32 `json:"next,omitempty"` // of the storage: it is another after each time that an older program restored it
}

// Stored returns how many bytes the backup has of the file.
func (f *File) Stored() int64 {
	if f.Absent() {
		return 0
	}
	return f.Header + f.Size - f.From
}

// Absent says that the backup has nothing of the file: all of it is in earlier ones.
func (f *File) Absent() bool { return f.From > 0 && f.From == f.Size }

// Manifest is what a backup consists of.
type Manifest struct {
	Head
	Files []File
}

// ByPath finds files by their paths.
func (m *Manifest) ByPath() map[string]*File {
	all := make(map[string]*File, len(m.Files))
	for i := range m.Files {
		all[m.Files[i].Path] = &m.Files[i]
	}
	return all
}
