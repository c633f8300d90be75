package main

import (
	"fmt"
	"io"
	"os"
)

// standInExit is no exit code of tstore.
const standInExit = 7

// standInMain is a tstore-cuda that prints what it was given, so that the scripts can look.
func standInMain() {
	fmt.Printf("tstore-cuda: arguments %q, $%s %q\n", os.Args[1:], deviceVariable, os.Getenv(deviceVariable))
	io.Copy(os.Stdout, os.Stdin)
	os.Exit(standInExit)
}
