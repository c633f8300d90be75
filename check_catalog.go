package tstore

import (
	"context"

	"github.com/tstore/tstore/catalog"
)

// checkCatalog reads every value of the catalog.
func (s *Store) checkCatalog(ctx context.Context) ([]Problem, error) {
	var all []Problem
	bad := func(err error) {
		all = append(all, Problem{Kind: ProblemCatalog, File: "catalog.db", Detail: err.Error(), Remedy: "restore a backup, or build a new catalog with salvage"})
	}
	err := s.cat.View(ctx, func(c *catalog.Tx) error {
		for _, err := range c.Storages() {
			if err != nil {
				bad(err)
			}
		}
		for _, err := range c.Records() {
			if err != nil {
				bad(err)
			}
		}
		return nil
	})
	return all, err
}
