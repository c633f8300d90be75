//go:build cuda && linux && !fakecuda

package main

// builtFor names the build tags that scripts depend on.
const builtFor = "cuda"
