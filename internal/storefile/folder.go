package storefile

// FormatVersion is the version of the folder's layout that this code reads and writes.
// docs/format.md describes it.
const FormatVersion = 1

// Folders and files of a store.
const (
	MarkFile    = "STORE"
	LockFile    = "lock"
	CatalogFile = "catalog.db"
	StorageDir  = "storages"
	TmpDir      = "tmp"
	BackupFile  = "BACKUP" // says that the folder is a backup; there from the first moment on
)
