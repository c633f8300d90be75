package fsx

import (
	"fmt"
	"path/filepath"
)

// Publish gives a complete file its final name durably: Sync, Rename, SyncDir of the final name's
// directory. f is the one descriptor that the file was written through, opened before the first
// write, and stays open. Both names must be on one file system.
//
// An error is final and nothing is undone: after a failed Sync the bytes are lost, however often it
// is called again; after a failed SyncDir the file has its final name, perhaps not for good. The
// caller decides by its catalog what to remove.
func Publish(fsys FS, f File, tmp, final string) error {
	// Sync first: a rename may reach the disk before bytes that nobody has synced, and the name
	// would then stand for half a file.
	if err := f.Sync(); err != nil {
		return fmt.Errorf("publish %q: its bytes did not reach the disk: %w", final, err)
	}

	if err := fsys.Rename(tmp, final); err != nil {
		return fmt.Errorf("publish %q: %w", final, err)
	}

	// A name is durable only once its folder is.
	if err := fsys.SyncDir(filepath.Dir(final)); err != nil {
		return fmt.Errorf("publish %q: its name may not outlive a power cut: %w", final, err)
	}

	return nil
}
