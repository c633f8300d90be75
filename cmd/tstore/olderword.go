package main

import "github.com/spf13/pflag"

// olderWord registers the name that a flag had before. Scripts may use it, and help does not show
// it.
func olderWord(flags *pflag.FlagSet, name string, value *bool) {
	flags.BoolVar(value, name, false, "")
	flags.Lookup(name).Hidden = true
}
