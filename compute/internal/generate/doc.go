// Package generate makes elements by a rule, instead of reading them: counting, at equal distances,
// random, or all the same. Element i depends on the rule and i only, so that several goroutines make
// parts of a [Row] at once.
package generate
