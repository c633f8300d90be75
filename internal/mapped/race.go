//go:build race

package mapped

// Keeps is false where mapped files are copies in memory, as in race builds: a kept copy would not
// show what is changed in the file.
const Keeps = false
