package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// negativeNumber is a word that is a value although it begins like a flag.
var negativeNumber = func() func(string) bool {
	var re *regexp.Regexp
	return func(word string) bool {
		if len(word) < 2 || word[0] != '-' {
			return false
		}
		if re == nil {
			re = regexp.MustCompile(`^-(\.?[0-9]|inf|nan)`)
		}
		return re.MatchString(word)
	}
}()

// protectNegative lets `tstore set x -1` be written without "--": when a word that is not a flag's
// value is a negative number, all such words are moved behind a "--".
func protectNegative(root *cobra.Command, args []string) []string {
	if !slices.ContainsFunc(args, negativeNumber) || slices.Contains(args, "--") {
		return args
	}
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root {
		return args
	}
	flags := cmd.Flags()
	flags.AddFlagSet(root.PersistentFlags())
	options, words := splitFlags(flags, rest)
	path := strings.Fields(cmd.CommandPath())[1:]
	return slices.Concat(path, options, []string{"--"}, words)
}

// splitFlags separates flags, with their values, from the other words.
func splitFlags(flags *pflag.FlagSet, args []string) (options, words []string) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		if !strings.HasPrefix(word, "-") || word == "-" || negativeNumber(word) {
			words = append(words, word)
			continue
		}
		options = append(options, word)
		if takesNext(flags, word) && i+1 < len(args) {
			i++
			options = append(options, args[i])
		}
	}
	return options, words
}

// takesNext reports whether the word after a flag is its value.
func takesNext(flags *pflag.FlagSet, word string) bool {
	var f *pflag.Flag
	if name, long := strings.CutPrefix(word, "--"); long {
		f = flags.Lookup(name)
	} else {
		f = flags.ShorthandLookup(word[len(word)-1:])
	}
	return f != nil && f.NoOptDefVal == ""
}
