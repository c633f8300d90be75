package engine

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// syncers is how many files are synced at once. A file system commits together what several wait
// for, so that many small files take little longer than one.
const syncers = 32

// syncFiles makes the bytes of files durable, in any order.
func syncFiles(ctx context.Context, files []*Staged) error {
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(syncers)
	for _, st := range files {
		workers.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return st.sync()
		})
	}
	return workers.Wait()
}

// syncFolders makes the names in folders durable, in any order.
func (s *Store) syncFolders(dirs map[string]bool) error {
	var workers errgroup.Group
	workers.SetLimit(syncers)
	for dir := range dirs {
		workers.Go(func() error {
			if err := s.SyncDir(dir); err != nil {
				return s.Poison(fmt.Errorf("sync folder %s: %w", dir, err))
			}
			return nil
		})
	}
	return workers.Wait()
}
