package tstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
)

// ErrNotBackup: a folder or a file is not a backup, or not one of the store that it would have to
// be of.
var ErrNotBackup = errors.New("not a backup that fits")

// BackupOptions of Backup. Nil means the defaults.
type BackupOptions struct {
	// NoSnapshots leaves the snapshots of the store out. By default they are in the backup, with
	// the files that only they need.
	NoSnapshots bool
	// Since is an earlier backup, a folder or a tar file, for a backup into a tar: what that has is
	// left out. Restore is given both. For a folder it is an error.
	Since string
	// SkipDamaged goes on where the store is damaged, and reports the damage. It copies blocks that
	// are not what was sealed as they are, and leaves out files that are missing or can't be read.
	// By default Backup returns an error at the first damage.
	SkipDamaged bool
	// Progress, when set, is called now and then with the bytes done and all that are to be copied.
	// Calls do not overlap.
	Progress func(done, total int64)
}

// BackupReport says what Backup has done.
type BackupReport struct {
	// ID names the state that was copied; Created is when it was the store's.
	ID      catalog.ID
	Created time.Time
	// Files and Bytes are what the state consists of, Copied and CopiedBytes what had to be copied;
	// the rest was there. Removed files were needed by the backup before only.
	Files, Copied, Removed int
	Bytes, CopiedBytes     int64
	// Unknown is true if the store does not know the backup before: the store was rolled back,
	// nothing could be written to it when that backup was made and it has changed since, or an
	// earlier version made one of them. What is not sealed was copied anew.
	Unknown bool
	// Snapshots are the names of the store's snapshots in the backup.
	Snapshots []string
	// Adopted are the first hundred tensors whose elements lie in files outside of the store. These
	// elements are not in the backup.
	Adopted []string
	// Damage was skipped.
	Damage []Damage
}

// Backup copies the store, as it is at one commit, into a folder or, if dest ends in ".tar", into a
// tar file. This and other processes may use and change the store meanwhile. Backup returns ErrBusy
// or ErrDirty if elements are being written in place, as CreateSnapshot does. It verifies sealed
// tensors on the way.
//
// A folder is itself a store that Open opens, and that nothing can change. A later backup into it
// copies only what has changed, and of tensors that have grown only the new rows. The backup in the
// folder stays whole until the new one takes its place in one step. A failure, also of the power,
// leaves the one or the other. Backup returns ErrNotBackup if dest holds something else, or is
// inside the store.
//
// A store that is read-only, or whose disk is full, is not written to. Then Backup returns
// ErrConflict if others change or remove files of that commit during the copy, and ErrDirty if a
// small change was interrupted. A backup has no backups: ErrReadOnly.
//
// Adopted files and unfinished jobs are not in a backup.
func (s *Store) Backup(ctx context.Context, dest string, o *BackupOptions) (*BackupReport, error) {
	b, end, err := s.beginBackup(o)
	if err != nil {
		return nil, err
	}
	defer end()

	switch {
	case strings.HasSuffix(dest, ".tar"):
		err = b.toTarFile(ctx, dest)
	case b.opts.Since != "":
		err = errSinceFolder
	default:
		err = b.toFolder(ctx, dest)
	}

	if err != nil {
		return nil, fmt.Errorf("backup to %q: %w", dest, err)
	}
	return &b.report, nil
}

// errSinceFolder is the error of a backup into a folder with BackupOptions.Since.
var errSinceFolder = errors.New("what has changed since an earlier backup goes into a tar (a name that ends in .tar); a backup into a folder is incremental by itself")

// BackupTo is Backup that writes a tar to w. It is whole only when it returns no error.
func (s *Store) BackupTo(ctx context.Context, w io.Writer, o *BackupOptions) (*BackupReport, error) {
	b, end, err := s.beginBackup(o)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := b.toTar(ctx, w); err != nil {
		return nil, fmt.Errorf("backup: %w", err)
	}
	return &b.report, nil
}

func (s *Store) beginBackup(o *BackupOptions) (*backup, func(), error) {
	begin := s.eng.BeginChange
	if s.eng.Options.ReadOnly && !s.eng.IsBackup() {
		begin = s.eng.BeginWork // it is not changed
	}
	end, err := begin()
	if err != nil {
		return nil, nil, err
	}
	b := &backup{store: s}
	if o != nil {
		b.opts = *o
	}
	return b, end, nil
}
