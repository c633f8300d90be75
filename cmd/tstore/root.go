package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// The groups of `tstore --help`.
const (
	groupStore    = "store"
	groupData     = "data"
	groupLook     = "look"
	groupCompute  = "compute"
	groupChange   = "change"
	groupMaintain = "maintain"
)

const rootLong = `tstore keeps larger-than-memory arrays on a local disk, names them and their
views, computes with them, and moves them in and out.

A SELECTOR is a name, or a name with NumPy's indexing and methods: weather/t2m,
'weather/t2m[0:10, ::-1]', 'x.T.reshape(4, -1)' (quote them for the shell). With a
snapshot's name it reads what was: 'weather/t2m@monday[0:10]'. Where elements are read,
it may be an expression, which is computed: 't2m.mean(axis=0) - 273.15'.

The store is the folder --store DIR, else $TSTORE_DIR, else the nearest .tstore
in this folder and those above it.`

// newRoot builds the command tree.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "tstore",
		Short:         "named, larger-than-memory arrays on a local disk",
		Long:          rootLong + "\n\nExit codes:\n" + exitHelp(),
		Args:          noSuchCommand,
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,

		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := setFromEnvironment(cmd.Root().PersistentFlags()); err != nil {
				return err
			}
			a.words = args
			return a.chooseDevice(cmd)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddGroup(
		&cobra.Group{ID: groupStore, Title: "Store:"},
		&cobra.Group{ID: groupData, Title: "Data in and out:"},
		&cobra.Group{ID: groupLook, Title: "Look:"},
		&cobra.Group{ID: groupCompute, Title: "Compute:"},
		&cobra.Group{ID: groupChange, Title: "Change:"},
		&cobra.Group{ID: groupMaintain, Title: "Maintain:"},
	)
	flags := root.PersistentFlags()
	flags.StringVar(&a.storeDir, "store", "", "`folder` of the store, or one that holds it as .tstore (default: $TSTORE_DIR, or .tstore here or above)")
	flags.BoolVar(&a.quiet, "quiet", false, "no progress and no notes on standard error")
	flags.BoolVar(&a.allowDirty, "allow-dirty", false, "read tensors whose in-place writer did not finish, or that may not be on disk")
	flags.Var(&a.durability, "durability", "what changes survive: power, process or none (default that of the store)")
	flags.BoolVar(&a.paranoid, "paranoid", false, "verify the checksums of sealed tensors that are read")
	flags.BoolVar(&a.allowNetworkFS, "allow-network-fs", false, "change a store on a network file system, which this machine alone uses")
	flags.DurationVar(&a.lockTimeout, "lock-timeout", 30*time.Second, "longest wait for each lock of other processes; 0 is hardly any")
	root.Version = readBuildInfo().text()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(a.help(root.HelpFunc()))
	root.SetHelpCommandGroupID(groupMaintain)
	root.SetCompletionCommandGroupID(groupMaintain)
	root.InitDefaultHelpCmd()
	for _, construct := range commands {
		cmd := construct(a)
		if cmd.ValidArgsFunction == nil && takesNames(cmd) {
			cmd.ValidArgsFunction = a.completeNames
		}
		if cmd.Args != nil {
			cmd.Args = withUsage(cmd.Args)
		}
		root.AddCommand(cmd)
	}
	return root
}

// noSuchCommand is the error of a first word that is no command.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := cmd.SuggestionsFor(args[0])
	if len(near) == 0 {
		return fmt.Errorf("unknown command %q: tstore --help lists the commands", args[0])
	}
	return fmt.Errorf("unknown command %q: did you mean %s?", args[0], strings.Join(near, " or "))
}

// withUsage completes the error of a wrong number of arguments. That of a group lists its commands.
func withUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err != nil && !cmd.HasSubCommands() {
			return fmt.Errorf("%w (usage: %s%s)", err, strings.TrimSuffix(cmd.CommandPath(), cmd.Name()), cmd.Use)
		}
		return err
	}
}
