package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

func newSeal(a *app) *cobra.Command {
	var recursive bool
	cmd := &cobra.Command{
		Use:   "seal NAME|PATTERN...",
		Short: "Make tensors immutable, with checksums that verify looks at",
		Long: `Make tensors immutable and record a checksum of each 64 KiB. From then on set, fill,
resize and eval refuse to change their elements, and verify finds bytes that are no
longer what they were. Rows can still be appended, and names renamed, replaced and
deleted. It holds for all tensors that share a file with one that is named. What is
imported is sealed already.`,
		Example: "  tstore seal weather/t2m\n  tstore seal 'weather/*'\n  tstore seal -r weather",
		GroupID: groupChange,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				return a.eachName(cmd.Context(), s, words, recursive, a.seal)
			})
		},
	}
	registerRecursive(cmd.Flags(), &recursive)
	return cmd
}

func newUnseal(a *app) *cobra.Command {
	var recursive bool
	cmd := &cobra.Command{
		Use:   "unseal NAME|PATTERN...",
		Short: "Allow changes of sealed tensors again",
		Long: `Allow changes of the elements of sealed tensors, and of all that share a file with
them, and drop their checksums.`,
		Example: "  tstore unseal weather/t2m",
		GroupID: groupChange,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				return a.eachName(cmd.Context(), s, words, recursive, a.unseal)
			})
		},
	}
	registerRecursive(cmd.Flags(), &recursive)
	return cmd
}

// eachName runs fn on the tensors that words stand for, none of which is missing.
func (a *app) eachName(ctx context.Context, s *tstore.Store, words []string, recursive bool, fn func(context.Context, *tstore.Store, string) error) error {
	p := picker{app: a, store: s, recursive: recursive, kinds: []catalog.Kind{catalog.KindTensor}}
	picks, err := p.pick(ctx, words)
	if err != nil {
		return err
	}
	names := texts(picks)
	if err := checkTensors(ctx, s, names); err != nil {
		return err
	}
	for _, name := range names {
		if err := fn(ctx, s, name); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) seal(ctx context.Context, s *tstore.Store, name string) error {
	info, err := s.Stat(ctx, name)
	if err != nil {
		return err
	}
	if info.Storage.Seal != nil {
		a.note("%q is sealed already", name)
		return nil
	}
	bar := a.progress("seal "+printable(name), info.Storage.PayloadBytes)
	err = s.Seal(ctx, name, &tstore.SealOptions{Progress: func(done, _ int64) { bar.update(done) }})
	bar.done()
	if err != nil {
		return err
	}
	return a.tellSharers(ctx, s, "sealed", name)
}

func (a *app) unseal(ctx context.Context, s *tstore.Store, name string) error {
	info, err := s.Stat(ctx, name)
	if err != nil {
		return err
	}
	if info.Storage.Seal == nil {
		a.note("%q is not sealed", name)
		return nil
	}
	if err := s.Unseal(ctx, name); err != nil {
		return err
	}
	return a.tellSharers(ctx, s, "unsealed", name)
}

// tellSharers notes what was done to a tensor, and to which others that share its file.
func (a *app) tellSharers(ctx context.Context, s *tstore.Store, verb, name string) error {
	sharers, err := s.Sharers(ctx, name, sharersInText+1)
	if err != nil {
		return err
	}
	others := quoteAll(slices.DeleteFunc(sharers, func(other string) bool { return other == name }))
	if len(others) == 0 {
		a.note("%s %q", verb, name)
		return nil
	}
	if len(others) == sharersInText {
		others[sharersInText-1] = "…"
	}
	a.note("%s %q, and what shares its file: %s", verb, name, strings.Join(others, ", "))
	return nil
}
