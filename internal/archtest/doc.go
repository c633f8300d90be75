// Package archtest checks the rules that hold the source tree together and that neither the
// compiler nor the linters see: which package may import which, and a few things no Go file here
// may contain.
//
// [Check] reads every Go file of a tree, whatever its build tags and whichever module it belongs
// to, because a breach behind a tag is found by nobody else. It parses; it never asks the go
// command, which would only show the files of one platform. The order of the layers is the table in
// layers.go. This package's own test runs Check on the whole repository.
package archtest
