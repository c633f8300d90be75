package check

import (
	"context"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/storefile"
)

// checkCatalog reads every page and every value of the catalog.
func (s *Store) checkCatalog(ctx context.Context) ([]Problem, error) {
	found, err := s.Engine.Catalog.Check(ctx)
	if err != nil {
		return nil, err
	}
	var all []Problem
	for _, c := range found {
		all = append(all, catalogProblem(c))
	}
	return all, nil
}

func catalogProblem(c catalog.Problem) Problem {
	p := Problem{Kind: ProblemCatalog, File: storefile.CatalogFile, Detail: c.String(), Remedy: engine.CatalogRemedy}
	if c.Kind == catalog.ProblemRefs {
		p.Kind, p.Repairable = ProblemRefs, true
		p.Remedy = "repair counts again from the records, which are the truth"
	}
	return p
}
