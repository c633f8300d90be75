package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/tstore/tstore"
)

// intake is how a command takes files into the store.
type intake struct {
	name, prefix    string
	json, keepGoing bool
	overwrite       bool
	verb            string // "import"
	// take adds a file to a transaction.
	take func(tx *tstore.Tx, file, name string) error
	// takeAlone, where it is set, takes one file by itself.
	takeAlone func(s *tstore.Store, file, name string) error
}

func (t *intake) register(flags *pflag.FlagSet) {
	flags.StringVar(&t.name, "name", "", "name of the tensor (default: that of the file, {stem})")
	flags.StringVar(&t.prefix, "prefix", "", "what all names begin with, such as climate/")
	flags.BoolVar(&t.keepGoing, "keep-going", false, "take in each file by itself, also after one that fails")
	flags.BoolVar(&t.json, "json", false, "print the new tensors as JSON")
}

// takeFiles takes files, and those in folders, into the store: all or none, or with --keep-going
// each that can be. bare says that bare elements are among them.
func (a *app) takeFiles(ctx context.Context, args []string, bare bool, t *intake) error {
	found, err := a.findFiles(args, bare)
	if err != nil {
		return err
	}
	names, err := namesOfFiles(found, t.name, t.prefix)
	if err != nil {
		return err
	}
	files := paths(found)

	return a.changing(ctx, func(s *tstore.Store) error {
		if !t.keepGoing {
			return a.takeTogether(ctx, s, files, names, t)
		}

		var failed []error
		for i := range files {
			err := a.takeTogether(ctx, s, files[i:i+1], names[i:i+1], t)
			if ctx.Err() != nil {
				return errors.Join(append(failed, err)...)
			}
			if err != nil {
				failed = append(failed, err)
			}
		}

		if len(failed) == 0 {
			return nil
		}

		return fmt.Errorf("%d of %d files are not %sed: %w", len(failed), len(files), t.verb, errors.Join(failed...))
	})
}

// checkNames returns an error if a name is taken. It runs before any file is copied.
func (t *intake) checkNames(ctx context.Context, s *tstore.Store, names []string) error {
	for _, name := range names {
		if _, err := s.Lookup(ctx, name); err == nil && !t.overwrite {
			return fmt.Errorf("%s %q: %w", t.verb, name, tstore.ErrExists)
		}
	}
	return nil
}

// takeTogether takes files in one transaction.
func (a *app) takeTogether(ctx context.Context, s *tstore.Store, files, names []string, t *intake) error {
	if err := t.checkNames(ctx, s, names); err != nil {
		return err
	}

	err := a.takeAll(ctx, s, files, names, t)
	if errors.Is(err, syscall.EMFILE) && len(files) > 1 {
		return fmt.Errorf("%w: larger files stay open until all of them are visible: allow more open files, or take them one by one with --keep-going", err)
	}
	if err != nil {
		return err
	}

	for _, name := range names {
		if err := a.tellMade(ctx, s, t.verb+"ed", name, t.json); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) takeAll(ctx context.Context, s *tstore.Store, files, names []string, t *intake) error {
	if len(files) == 1 && t.takeAlone != nil {
		return t.takeAlone(s, files[0], names[0])
	}
	return s.Update(ctx, func(tx *tstore.Tx) error {
		for i, file := range files {
			if err := t.take(tx, file, names[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
