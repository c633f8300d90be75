package tstore

import (
	"context"
	"io"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/backup"
)

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

func backupReportOf(r *backup.Report) *BackupReport {
	if r == nil {
		return nil
	}
	return &BackupReport{
		ID: r.ID, Created: r.Created, Files: r.Files, Copied: r.Copied, Removed: r.Removed, Bytes: r.Bytes, CopiedBytes: r.CopiedBytes,
		Unknown: r.Unknown, Snapshots: r.Snapshots, Adopted: r.Adopted, Damage: each(r.Damage, damageOf),
	}
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
	r, err := s.backup().Backup(ctx, dest, (*backup.Options)(o))
	return backupReportOf(r), err
}

// BackupTo is Backup that writes a tar to w. It is whole only when it returns no error.
func (s *Store) BackupTo(ctx context.Context, w io.Writer, o *BackupOptions) (*BackupReport, error) {
	r, err := s.backup().BackupTo(ctx, w, (*backup.Options)(o))
	return backupReportOf(r), err
}

// RestoreNames brings tensors, blobs, lazy names and groups of a backup back into the store, in one
// transaction. It replaces names that are there. Each tensor gets a storage of its own. What was
// sealed is verified, and sealed again. sources are as in Restore. A name may be one of a snapshot,
// "x@monday", and is brought back without the snapshot. A tar is unpacked beside the store first,
// and takes that room until the end.
func (s *Store) RestoreNames(ctx context.Context, sources, names []string, o *RestoreOptions) (done int, err error) {
	return s.backup().RestoreNames(ctx, sources, names, (*backup.RestoreOptions)(o))
}

// CopyFromOptions of CopyFrom. Nil means the defaults.
type CopyFromOptions struct {
	// Overwrite replaces names that are there.
	Overwrite bool
	// Rename, when set, returns the name that something of that name gets here.
	Rename func(name string) string
}

// CopyFrom copies tensors, views, blobs, lazy names and groups of the store in the folder dir into
// this one, in one transaction, and returns how many names these are. A name may be one of a
// snapshot, "x@monday". Attributes, axis names, seals and times stay; what is sealed is verified.
//
// Names that share elements go on sharing them if one of them has all elements of their file; its
// blocks are shared between the stores where the file system can (FICLONE). A view without such a
// name becomes a tensor of its own, in C order, and so does the tensor of an adopted file. A lazy
// name keeps its expression, whose names it finds here. A tensor that was computed forgets from
// what.
//
// It returns ErrDirty if elements are being written in place, ErrConflict if they are changed while
// they are copied, and an error if dir is this store.
func (s *Store) CopyFrom(ctx context.Context, dir string, names []string, o *CopyFromOptions) (copied int, err error) {
	return s.backup().CopyFrom(ctx, dir, names, (*backup.CopyFromOptions)(o))
}

// RestoreOptions of Restore and Store.RestoreNames. Nil means the defaults.
type RestoreOptions struct {
	// Stdin is the tar that the source "-" reads.
	Stdin io.Reader
	// Progress, when set, is called now and then with the bytes done and all that are to be copied.
	// Calls do not overlap.
	Progress func(done, total int64)
	// AllowNetworkFS makes a store on a network file system, as in Options.
	AllowNetworkFS bool
}

// RestoreReport says what Restore has made.
type RestoreReport struct {
	// Created is the time of the state that was restored.
	Created time.Time
	Files   int
	Bytes   int64
	// Problems are what Check finds in the new store: damage that the backup has been made with,
	// and adopted files that are not there.
	Problems []Problem
}

func restoreReportOf(r *backup.RestoreReport) *RestoreReport {
	if r == nil {
		return nil
	}
	return &RestoreReport{Created: r.Created, Files: r.Files, Bytes: r.Bytes, Problems: each(r.Problems, problemOf)}
}

// Restore makes a new store of a backup in dir, which must be missing or empty. sources are folders
// and tar files that Backup made; the newest of them is restored. A backup made since another
// leaves out what that one has: this is read from the other sources, in any order. All bytes are
// compared with their checksums. The store is made beside dir, under its name and ".restoring", and
// renamed when it is whole and durable, so that a failure leaves nothing. It makes anew what an
// interrupted Restore left there. It returns ErrExists if something else is there, and ErrBusy if
// another Restore is at work.
//
// The new store goes on by itself: it has the id of the old one, but the next backup of one can't
// be made into those of the other.
func Restore(ctx context.Context, sources []string, dir string, o *RestoreOptions) (*RestoreReport, error) {
	r, err := backup.Restore(ctx, sources, dir, (*backup.RestoreOptions)(o))
	return restoreReportOf(r), err
}

// VerifyBackup reads a backup, a folder or a tar file. It compares all bytes with the checksums of
// the backup, and sealed tensors with their seals. The report lists damage. An error means that
// source is no backup, or that the rest of a tar can't be read.
func VerifyBackup(ctx context.Context, source string, o *RestoreOptions) (r *VerifyReport, err error) {
	found, err := backup.VerifyBackup(ctx, source, (*backup.RestoreOptions)(o))
	return verifyReportOf(found), err
}
