package main

import "github.com/spf13/cobra"

// help shows the help of a command, or notes an error if the command is a group and its next word
// is none of its commands.
func (a *app) help(show func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		if words := cmd.Flags().Args(); cmd.HasSubCommands() && cmd.Args != nil && len(words) > 0 {
			a.helpErr = cmd.Args(cmd, words)
			return
		}
		show(cmd, args)
	}
}
