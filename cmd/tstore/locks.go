package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// lockJSON is one lock.
type lockJSON struct {
	Lock    tstore.LockKind `json:"lock"`
	Mode    string          `json:"mode"`
	Names   []string        `json:"names,omitempty"`
	Part    string          `json:"part,omitempty"`
	Bytes   *[2]int64       `json:"bytes,omitempty"` // first, end
	Since   *time.Time      `json:"since,omitempty"`
	PID     int             `json:"pid"`
	Command string          `json:"command,omitempty"`
}

func newLocks(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "locks",
		Short: "Show which process holds what",
		Long: `Show the locks that processes hold on the store now: of the catalog, which a
transaction has for milliseconds, of data files on their way into the store, and of tensors
that are written in place, appended to or made. Several processes can write parts of
one tensor in place, if they have no element in common; BYTES and SINCE say who has
which part, and since when. A lock goes when its process ends,
however it ends. Linux tells who holds them; of other people's processes only root sees them.`,
		Example: "  tstore locks",
		GroupID: groupMaintain,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				return a.printLocks(cmd.Context(), s, asJSON)
			})
		},
	}

	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a lock")
	return cmd
}

func (a *app) printLocks(ctx context.Context, s *tstore.Store, asJSON bool) error {
	locks, err := s.Locks(ctx)
	if err != nil {
		return err
	}

	if len(locks) == 0 && !asJSON {
		_, err := fmt.Fprintln(a.stdout, "no locks")
		return err
	}

	t := table{right: map[int]bool{2: true}}
	t.add("LOCK", "MODE", "PROCESS", "COMMAND", "BYTES", "SINCE")
	for _, l := range locks {
		mode := "shared"
		if l.Exclusive {
			mode = "exclusive"
		}

		if asJSON {
			if err := writeJSON(a.stdout, lockAsJSON(l, mode)); err != nil {
				return err
			}
			continue
		}

		bytes, since := "", ""
		if l.Part != "" {
			bytes, since = fmt.Sprintf("%d to %d", l.First, l.End), l.Since.Local().Format(time.DateTime)
		}
		t.add(lockTitle(l), mode, fmt.Sprint(l.PID), printable(l.Command), bytes, since)
	}

	if asJSON {
		return nil
	}
	return t.write(a.stdout)
}

func lockAsJSON(l tstore.LockInfo, mode string) lockJSON {
	j := lockJSON{Lock: l.Kind, Mode: mode, Names: l.Names, Part: l.Part, PID: l.PID, Command: l.Command}
	if l.Part != "" {
		j.Bytes, j.Since = &[2]int64{l.First, l.End}, &l.Since
	}
	return j
}

// lockTitle says what a lock is on.
func lockTitle(l tstore.LockInfo) string {
	switch {
	case l.Kind != tstore.LockStorage:
		return string(l.Kind)
	case l.Part != "":
		return printable(l.Part)
	case len(l.Names) == 0:
		return "a new tensor"
	}
	return strings.Join(l.Names, " ")
}
