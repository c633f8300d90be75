package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// snapshotJSON is a snapshot, for `snapshot ls --json`.
type snapshotJSON struct {
	Name    string `json:"name"`
	Number  uint64 `json:"number"`
	Created string `json:"created"`
	Note    string `json:"note"`
	File    string `json:"file"`
	Bytes   int64  `json:"bytes"`
}

func describeSnapshot(s catalog.Snapshot) snapshotJSON {
	return snapshotJSON{Name: s.Name, Number: s.Seq, Created: jsonTime(s.Created), Note: s.Note, File: s.File(), Bytes: s.Bytes}
}

func newSnapshot(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "Keep the state of the store, look at it, bring it back",
		Long: `A snapshot keeps the state that the store has under a name: all names with what they
stand for, and their elements. No elements are copied. Every selector reads one:
weather/t2m@monday, 'x@monday[0:10]'; in expressions such a name stands in back
quotes. What is in a snapshot never changes.

The first later change of elements that a snapshot has copies their data file, once;
what is deleted or replaced keeps its disk space until the last snapshot that has it
is removed.`,
		Example: `  tstore snapshot create monday --note 'before the recalibration'
  tstore show 'weather/t2m@monday[0]'
  tstore snapshot diff monday
  tstore snapshot restore monday weather
  tstore snapshot rm monday`,
		GroupID: groupStore,
		Args:    noSuchSubcommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, sub := range []*cobra.Command{
		newSnapshotCreate(a), newSnapshotLs(a), newSnapshotShow(a), newSnapshotDiff(a), newSnapshotRestore(a), newSnapshotRemove(a),
	} {
		sub.Args = withUsage(sub.Args)
		if sub.ValidArgsFunction == nil {
			sub.ValidArgsFunction = a.completeSnapshots
		}
		cmd.AddCommand(sub)
	}
	return cmd
}

// noSuchSubcommand returns an error for a word after the command that is no subcommand of it.
func noSuchSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return fmt.Errorf("unknown command %q: %s has %s", args[0], cmd.CommandPath(), strings.Join(names, ", "))
}

// completeSnapshots completes the names of snapshots.
func (a *app) completeSnapshots(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var names []string
	err := a.reading(cmd.Context(), func(s *tstore.Store) error {
		all, err := s.Snapshots(cmd.Context())
		for _, snap := range all {
			if strings.HasPrefix(snap.Name, begun) {
				names = append(names, snap.Name)
			}
		}
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func newSnapshotCreate(a *app) *cobra.Command {
	var note string
	cmd := &cobra.Command{
		Use:   "create SNAPSHOT",
		Short: "Keep the state that the store has now",
		Long: `Keep the state that the store has now. It takes the time and the space of a copy of
the catalog, or none where the file system shares blocks. Elements that are being
written in place are an error that names the tensors.`,
		Example:           "  tstore snapshot create monday --note 'before the recalibration'",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				if _, err := s.CreateSnapshot(cmd.Context(), args[0], note); err != nil {
					return err
				}
				a.note("made snapshot %s", printable(args[0]))
				return nil
			})
		},
	}

	cmd.Flags().StringVar(&note, "note", "", "what ls and show tell of it")
	return cmd
}

func newSnapshotRemove(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "rm SNAPSHOT",
		Short: "Remove a snapshot, and the files that nothing else needs",
		Long: `Remove a snapshot, and the files that nothing else needs. A lazy name whose
expression reads the snapshot stays, and says that the snapshot is missing.`,
		Example: "  tstore snapshot rm monday",
		Args:    cobra.ExactArgs(1),

		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				freed, err := s.RemoveSnapshot(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				a.note("removed snapshot %s, freed %s", printable(args[0]), formatBytes(freed))
				return nil
			})
		},
	}
}
