// Package measure finds out how fast a device is.
//
// [Measure] takes about half a second for the [Rates] of a device: of the bus in both directions, of
// the host's memory while it packs, of arithmetic, and how long a launch takes to start. A [Cache]
// keeps them in a folder, by device, driver, program and number of processors.
//
// # Caveats
//
//   - Rates are those of a machine at rest. Whoever else uses the device, the bus or the memory
//     meanwhile makes them smaller.
package measure
