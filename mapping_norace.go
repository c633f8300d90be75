//go:build !race

package tstore

// keepsMappings reports whether mappings are kept for the next Get.
const keepsMappings = true
