//go:build !(cuda && linux)

package main

// builtFor names the build tags that scripts depend on.
const builtFor = ""
