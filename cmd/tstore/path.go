package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// pathJSON is where a tensor is, for `path --json`.
type pathJSON struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// pathFlags are the flags of path.
type pathFlags struct {
	materialize, json bool
}

func newPath(a *app) *cobra.Command {
	var f pathFlags
	cmd := &cobra.Command{
		Use:   "path NAME...",
		Short: "Print the .npy file that is exactly a tensor, for other programs",
		Long: `Print the path of the .npy file that holds exactly this tensor: numpy.load opens it,
with no export. It is the store's own file: read it, and don't write it. Where no file
is exactly the tensor, as for a view of a part, say why and what to do.

--materialize gives the tensor a file of its own if it has none. A small tensor leaves
the file that it shares with others, together with its views. Others are copied, unless
views share elements with them.`,
		Example: `  python3 -c 'import numpy, sys; print(numpy.load(sys.argv[1], mmap_mode="r").mean())' "$(tstore path t2m)"
  tstore path weather/t2m --materialize`,
		GroupID:           groupLook,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, names []string) error {
			find, open := (*tstore.Store).File, a.reading
			if f.materialize {
				find, open = (*tstore.Store).OwnFile, a.changing
			}
			return open(cmd.Context(), func(s *tstore.Store) error {
				return a.printPaths(cmd.Context(), s, names, find, f.json)
			})
		},
	}
	cmd.Flags().BoolVar(&f.materialize, "materialize", false, "give the tensor a file of its own if it has none")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object a line")
	return cmd
}

func (a *app) printPaths(ctx context.Context, s *tstore.Store, names []string, find func(*tstore.Store, context.Context, string) (string, error), asJSON bool) error {
	for _, name := range names {
		path, err := find(s, ctx, name)
		if err != nil {
			return err
		}
		if asJSON {
			err = writeJSON(a.stdout, pathJSON{name, path})
		} else {
			_, err = fmt.Fprintln(a.stdout, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
