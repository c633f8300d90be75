package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError completes the error of a flag that the command does not have, or of its value.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var bad *pflag.InvalidValueError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &bad):
		return badValue("--"+bad.GetFlag().Name, bad.GetFlag(), bad.GetValue(), bad.Unwrap())
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "": // it may be an expression, such as -x
		return fmt.Errorf("%w (%s --help lists the flags; what is none goes behind --)", err, cmd.CommandPath())
	}
	return fmt.Errorf("%w (%s --help lists the flags)", err, cmd.CommandPath())
}

// wantedValues say what the values of pflag's own types are; its errors name Go functions instead.
var wantedValues = map[string]string{
	"bool":     "true or false",
	"int":      "a whole number",
	"int64":    "a whole number",
	"uint64":   "a whole number from 0",
	"float64":  "a number",
	"duration": "a time such as 30s or 5m",
}

// badValue returns the error of a text that is no value of a flag. given is the flag or the variable
// that holds it.
func badValue(given string, f *pflag.Flag, text string, cause error) error {
	if want := wantedValues[f.Value.Type()]; want != "" {
		return fmt.Errorf("%s %q: want %s", given, text, want)
	}
	if rest, named := strings.CutPrefix(cause.Error(), f.Name+" "); named {
		return fmt.Errorf("%s %s", given, rest)
	}
	return fmt.Errorf("%s: %w", given, cause)
}
