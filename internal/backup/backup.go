package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/check"
)

// ErrNotBackup: a folder or a file is not a backup, or is one of another store.
var ErrNotBackup = errors.New("not a backup that fits")

// Options of Backup.
type Options struct {
	NoSnapshots bool
	Since       string
	SkipDamaged bool
	Progress    func(done, total int64)
}

// Report says what Backup has done.
type Report struct {
	ID                     catalog.ID
	Created                time.Time
	Files, Copied, Removed int
	Bytes, CopiedBytes     int64
	Unknown                bool
	Snapshots              []string
	Adopted                []string
	Damage                 []check.Damage
}

// Backup copies the store, as it is at one commit, into a folder or, if dest ends in ".tar", into a
// tar file.
func (s *Store) Backup(ctx context.Context, dest string, o *Options) (*Report, error) {
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

// errSinceFolder is the error of a backup into a folder with Options.Since.
var errSinceFolder = errors.New("what has changed since an earlier backup goes into a tar (a name that ends in .tar); a backup into a folder is incremental by itself")

// BackupTo writes the backup to w, as a tar. The tar is whole only if BackupTo returns no error.
func (s *Store) BackupTo(ctx context.Context, w io.Writer, o *Options) (*Report, error) {
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

func (s *Store) beginBackup(o *Options) (*backup, func(), error) {
	begin := s.Engine.BeginChange
	if s.Engine.Options.ReadOnly && !s.Engine.IsBackup() {
		begin = s.Engine.BeginWork // it is not changed
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
