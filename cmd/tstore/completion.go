package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
)

// completedNames bounds what a press of the tab key shows.
const completedNames = 500

// completeNames completes names of the store, one group at a time, in arguments that help calls
// NAME or SELECTOR.
func (a *app) completeNames(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var names []string

	err := a.reading(cmd.Context(), func(s *tstore.Store) error {
		var err error
		// A plain name comes first. Only what is no beginning of one is taken for an expression.
		names, err = namesFrom(cmd.Context(), s, begun)
		for _, marks := range expressionMarks {
			if len(names) > 0 {
				break
			}
			names, err = namesWithin(cmd.Context(), s, begun, marks)
		}
		return err
	})

	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}

	if len(names) == 1 && strings.HasSuffix(names[0], "/") {
		return names, cobra.ShellCompDirectiveNoSpace
	}
	return names, cobra.ShellCompDirectiveDefault
}

// expressionMarks are the characters in front of a name in an expression: without those that names
// have more often, and with them.
var expressionMarks = []string{" ([,+*%<>=&|^~`", " ([,+*%<>=&|^~`-/"}

// namesWithin completes the name that an expression ends with. A name that needs back quotes is
// completed only behind one.
func namesWithin(ctx context.Context, s *tstore.Store, begun, marks string) ([]string, error) {
	at := strings.LastIndexAny(begun, marks) + 1
	if at == 0 {
		return nil, nil
	}

	names, err := namesFrom(ctx, s, begun[at:])
	quoted := begun[at-1] == '`'

	var all []string

	for _, name := range names {
		switch {
		case !quoted && compute.Name(name).String() != name:
			continue
		case quoted && !strings.HasSuffix(name, "/"):
			name += "`"
		}
		all = append(all, begun[:at]+name)
	}

	return all, err
}

// namesFrom are the names that begin as begun does, in its group.
func namesFrom(ctx context.Context, s *tstore.Store, begun string) ([]string, error) {
	group := begun[:max(0, strings.LastIndexByte(begun, '/'))]
	var names []string
	for item, err := range s.List(ctx, &tstore.ListOptions{Group: group}) {
		if err != nil {
			return nil, err
		}
		if name := displayName(item); strings.HasPrefix(name, begun) {
			names = append(names, name)
		}
		if len(names) == completedNames {
			break
		}
	}
	return names, nil
}

// takesNames reports whether an argument of the command is a name of the store.
func takesNames(cmd *cobra.Command) bool {
	return strings.Contains(cmd.Use, "NAME") || strings.Contains(cmd.Use, "SELECTOR")
}
