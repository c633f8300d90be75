package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/view"
)

// nearestShown is how many names an error suggests.
const nearestShown = 3

// withNearest adds names that exist to the error for a missing name.
func (a *app) withNearest(ctx context.Context, s *tstore.Store, err error) error {
	var known *catalog.NotFoundError
	if !errors.Is(err, tstore.ErrNotFound) || errors.As(err, &known) || errors.Is(err, view.ErrNeedsCopy) {
		return err
	}

	for _, word := range a.words {
		sel, bad := tstore.ParseSelector(word)
		missing := fmt.Sprintf("%q %v", sel.Name, tstore.ErrNotFound)
		if strings.Contains(err.Error(), "snapshot "+missing) || strings.Contains(err.Error(), "job "+missing) {
			return err // it tells where to look
		}
		if bad == nil && strings.Contains(err.Error(), missing) {
			near, failed := s.Suggest(ctx, sel.Name, nearestShown)
			return errors.Join(nearestTo(err, near), failed)
		}
	}

	return err
}

func nearestTo(err error, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("%w: tstore ls -r lists the names", err)
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return fmt.Errorf("%w: did you mean %s?", err, strings.Join(quoted, " or "))
}
