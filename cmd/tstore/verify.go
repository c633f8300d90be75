package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	rate rateFlag
	json bool
}

func newVerify(a *app) *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [SELECTOR...]",
		Short: "Read sealed tensors from the disk and compare them with their checksums",
		Long: `Read the elements of sealed tensors from the disk, past the system's cache, and
compare them with the checksums that were recorded when they were sealed: all of
them, or the tensors, parts and groups that are named. What is damaged is told as
parts of tensors, and as places in files, in blocks of 64 KiB. Tensors that are not
sealed are listed. It may run while others use the store.`,
		Example: `  tstore verify
  tstore verify weather 'x[:1000]'
  tstore verify --rate 50MB/s --json`,
		GroupID: groupMaintain,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				return a.verify(cmd.Context(), s, args, f)
			})
		},
	}

	cmd.Flags().Var(&f.rate, "rate", "read at most so many bytes a second")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object for each damaged place and unsealed file, and one for the sum")

	return cmd
}

// rateFlag is a flag that takes bytes a second: "50MB/s", "50MB".
type rateFlag struct{ bytesFlag }

// Set reads a size with or without "/s".
func (f *rateFlag) Set(text string) error {
	if err := f.bytesFlag.Set(strings.TrimSuffix(text, "/s")); err != nil {
		return err
	}
	if f.bytesFlag == 0 {
		return errors.New("want more than 0 bytes a second")
	}
	return nil
}

// Type returns the placeholder that help shows.
func (f *rateFlag) Type() string { return "size/s" }

func (a *app) verify(ctx context.Context, s *tstore.Store, selectors []string, f verifyFlags) error {
	for i := range selectors {
		selectors[i] = strings.TrimSuffix(selectors[i], "/")
	}
	r, err := a.verified(ctx, s, &tstore.VerifyOptions{Selectors: selectors, Rate: int64(f.rate.bytesFlag)})
	if err != nil {
		return err
	}
	return a.tellVerified(r, f.json)
}

// tellVerified prints what was found. It returns errFound if there is damage.
func (a *app) tellVerified(r *tstore.VerifyReport, json bool) error {
	write := a.writeVerified
	if json {
		write = a.writeVerifiedJSON
	}
	if err := write(r); err != nil {
		return err
	}
	if len(r.Damage) > 0 {
		return errFound
	}
	return nil
}

// verified is Verify with progress.
func (a *app) verified(ctx context.Context, s *tstore.Store, o *tstore.VerifyOptions) (*tstore.VerifyReport, error) {
	var bar *progress
	o.Progress = func(done, total int64) {
		if bar == nil {
			bar = a.progress("verify", total)
		}
		bar.update(done)
	}
	r, err := s.Verify(ctx, o)
	bar.done()
	return r, err
}

func (a *app) writeVerified(r *tstore.VerifyReport) error {
	var b strings.Builder
	for _, d := range r.Damage {
		b.WriteString(damageText(d))
	}
	for _, u := range r.Unsealed {
		fmt.Fprintf(&b, "not sealed: %s, %s\n", namesText(u.Names, u.File), formatBytes(u.Bytes))
	}
	fmt.Fprintf(&b, "verified %s in %s: %s, %s not sealed\n", formatBytes(r.Bytes), plural(r.Storages, "file"),
		plural(len(r.Damage), "damaged place"), plural(len(r.Unsealed), "file"))
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// damageText describes a damaged place in several lines, in the form of problemText.
func damageText(d tstore.Damage) string {
	var b strings.Builder
	var parts []string
	for _, p := range d.Parts[:min(len(d.Parts), sharersInText)] {
		parts = append(parts, p.Selector)
	}
	fmt.Fprintf(&b, "damaged: %s\n", namesText(parts, "no element of a tensor"))
	fmt.Fprintf(&b, "  file    %s\n", printable(d.File))
	if d.Bytes >= 0 {
		fmt.Fprintf(&b, "  bytes   %d to %d\n", d.Offset, d.Offset+d.Bytes)
	}
	fmt.Fprintf(&b, "  found   %s\n", printable(d.Err.Error()))
	return b.String()
}

// namesText joins names for a message; it returns otherwise if there are none.
func namesText(names []string, otherwise string) string {
	if len(names) == 0 {
		return printable(otherwise)
	}
	shown := quoteAll(names[:min(len(names), sharersInText)])
	if len(names) > sharersInText {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// damageJSON is a damaged place.
type damageJSON struct {
	Kind   string           `json:"kind"`
	Error  string           `json:"error"`
	File   string           `json:"file"`
	Offset int64            `json:"offset"`
	Bytes  int64            `json:"bytes"`
	Parts  []damagePartJSON `json:"parts"`
	Detail string           `json:"detail"`
}

type damagePartJSON struct {
	Name     string `json:"name"`
	Selector string `json:"selector"`
}

// unsealedJSON is a file that can't be verified.
type unsealedJSON struct {
	Kind  string   `json:"kind"`
	Names []string `json:"names"`
	File  string   `json:"file"`
	Bytes int64    `json:"bytes"`
}

// verifiedJSON is the last object of `verify --json`.
type verifiedJSON struct {
	Kind     string `json:"kind"`
	Files    int    `json:"files"`
	Bytes    int64  `json:"bytes"`
	Damaged  int    `json:"damaged"`
	Unsealed int    `json:"unsealed"`
}

func (a *app) writeVerifiedJSON(r *tstore.VerifyReport) error {
	for _, d := range r.Damage {
		parts := make([]damagePartJSON, 0, len(d.Parts))
		for _, p := range d.Parts {
			parts = append(parts, damagePartJSON(p))
		}

		err := writeJSON(a.stdout, damageJSON{"damage", damageWord(d.Err), d.File, d.Offset, d.Bytes, parts, d.Err.Error()})
		if err != nil {
			return err
		}
	}

	for _, u := range r.Unsealed {
		if err := writeJSON(a.stdout, unsealedJSON{"unsealed", notNil(u.Names), u.File, u.Bytes}); err != nil {
			return err
		}
	}

	return writeJSON(a.stdout, verifiedJSON{"verified", r.Storages, r.Bytes, len(r.Damage), len(r.Unsealed)})
}

// damageWord returns a word for what is wrong with a place.
func damageWord(err error) string {
	for _, k := range []struct {
		err  error
		word string
	}{
		{tstore.ErrChecksum, "checksum"}, {tstore.ErrTruncated, "truncated"}, {tstore.ErrMissing, "missing"}, {tstore.ErrChanged, "changed"},
	} {
		if errors.Is(err, k.err) {
			return k.word
		}
	}
	return "unreadable"
}
