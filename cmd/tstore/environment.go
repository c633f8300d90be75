package main

import (
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// variableOf returns the environment variable that holds a flag of all commands where the flag is
// not given.
func variableOf(flag string) string {
	if flag == "store" {
		return "TSTORE_DIR"
	}
	return "TSTORE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// setFromEnvironment sets the flags that are not given to what their variables hold. An empty
// variable is none.
func setFromEnvironment(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		variable := variableOf(f.Name)
		text := os.Getenv(variable)
		if err != nil || f.Changed || text == "" {
			return
		}
		if bad := f.Value.Set(text); bad != nil {
			err = badValue("$"+variable, f, text, bad)
		}
	})
	return err
}
