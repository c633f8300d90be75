// Command tstore keeps larger-than-memory arrays on a local disk, names them and their views, and
// moves them in and out.
//
// Each command has a file of its own, which reads flags, calls the library once, and prints. What
// commands share stands in files named for it: finding and opening the store (store.go), exit codes
// (exit.go), the error line (errorline.go), JSON (json.go), what is in a file (input.go), what a
// new tensor is (spec.go, elements.go), dry runs and what they count (dryrun.go, removal.go),
// tables, sizes, shapes and progress.
//
// docs/cli.md describes every command, its output and its JSON keys.
package main
