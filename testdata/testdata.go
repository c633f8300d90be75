// Package testdata holds small real arrays as .npy files: a volcano's heights, handwritten digits,
// a city's weather, stock prices, iris flowers and a photograph of a cat. README.md names their
// sources and licences. They are embedded, so that the demonstration command works without files
// beside the binary.
package testdata

import "embed"

// FS holds the arrays under their file names, such as "volcano.npy". It is read-only and safe for
// concurrent use.
//
//go:embed *.npy
var FS embed.FS
