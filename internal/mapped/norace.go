//go:build !race

package mapped

// Keeps reports whether mappings are kept for the next Get.
const Keeps = true
