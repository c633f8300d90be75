package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// blobFlags are the flags of blob.
type blobFlags struct {
	typeName, file   string
	json, raw, force bool
}

func newBlob(a *app) *cobra.Command {
	var f blobFlags
	cmd := &cobra.Command{
		Use:   "blob NAME [VALUE]",
		Short: "Print or set a named value: a number, a text, JSON or bytes",
		Long: `Print the value of a blob, or set it: to VALUE, or to what a file holds. VALUE has
the type that it looks like (true, 12, 1.5, {"a":1}, hex:00ff, otherwise a
string), a file holds bytes, unless --type says otherwise.`,
		Example: `  tstore blob run/config '{"rate": 0.1}'
  tstore blob run/notes --file notes.txt --type string
  tstore blob run/icon --raw > icon.png`,
		GroupID: groupData,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			return a.blob(cmd.Context(), args, f)
		},
	}

	flags := cmd.Flags()
	flags.StringVar(&f.typeName, "type", "", "`type` of the value to set: string, int, float, bool, bytes or json")
	flags.StringVar(&f.file, "file", "", "set the value to what this `file` holds; - is standard input")
	flags.BoolVar(&f.raw, "raw", false, "print a string's or bytes' own bytes and nothing else")
	flags.BoolVar(&f.force, "force", false, "with --raw: also to a terminal")
	flags.BoolVar(&f.json, "json", false, "print JSON")

	return cmd
}

func (f blobFlags) check(args []string) error {
	sets := len(args) == 2 || f.file != ""
	switch {
	case len(args) == 2 && f.file != "":
		return errors.New("expected VALUE or --file, found both")
	case !sets && f.typeName != "":
		return errors.New("--type is the type of a value to set, and there is none")
	case sets && (f.json || f.raw):
		return errors.New("--json and --raw are for printing a blob")
	case f.json && f.raw:
		return errors.New("expected --json or --raw, found both")
	}
	return nil
}

func (a *app) blob(ctx context.Context, args []string, f blobFlags) error {
	if len(args) == 1 && f.file == "" {
		return a.reading(ctx, func(s *tstore.Store) error { return a.printBlob(ctx, s, args[0], f) })
	}
	v, err := a.blobValue(ctx, args, f)
	if err != nil {
		return fmt.Errorf("blob %q: %w", args[0], err)
	}
	return a.changing(ctx, func(s *tstore.Store) error { return s.PutBlob(ctx, args[0], v) })
}

func (a *app) blobValue(ctx context.Context, args []string, f blobFlags) (catalog.Value, error) {
	if f.file == "" {
		return parseValue(f.typeName, args[1])
	}
	content, err := a.readAll(ctx, f.file, catalog.MaxValueBytes)
	if err != nil {
		return catalog.Value{}, err
	}
	switch f.typeName {
	case "", catalog.ValueBytes.String():
		return catalog.BytesValue(content), nil
	case catalog.ValueString.String():
		return parseValue(f.typeName, string(content))
	}
	return parseValue(f.typeName, strings.TrimSpace(string(content)))
}

// readAll reads a small file, a pipe, or standard input when its name is "-".
func (a *app) readAll(ctx context.Context, name string, limit int64) ([]byte, error) {
	r, err := a.openStream(ctx, name)
	if err == nil && r == nil {
		r, err = os.Open(name)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()

	// One byte more than the limit shows that there is more.
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%s holds more than %s, the most a blob may have: import it as a tensor", name, formatBytes(limit))
	}

	return content, nil
}

func (a *app) printBlob(ctx context.Context, s *tstore.Store, name string, f blobFlags) error {
	if f.json {
		e, err := s.Lookup(ctx, name)
		if err != nil {
			return err
		}
		if e.Record.Kind == catalog.KindBlob {
			return writeJSON(a.stdout, describeBlob(e.Record))
		}
	}

	v, err := s.Blob(ctx, name)
	if err != nil {
		return err
	}

	if f.raw {
		return a.printRaw(v, f.force)
	}
	return a.printValue(v)
}

func (a *app) printRaw(v catalog.Value, force bool) error {
	text, err := v.Text()
	if err == nil {
		_, err = io.WriteString(a.stdout, text)
		return err
	}
	b, err := v.Bytes()
	if err != nil {
		return fmt.Errorf("--raw is for strings and bytes: %w", err)
	}
	if err := a.checkBinary(force); err != nil {
		return err
	}
	_, err = a.stdout.Write(b)
	return err
}

// checkBinary refuses to write binary data to a terminal.
func (a *app) checkBinary(force bool) error {
	if a.terminalOut && !force {
		return errors.New("standard output is a terminal: redirect it to a file or a program, or use --force")
	}
	return nil
}
