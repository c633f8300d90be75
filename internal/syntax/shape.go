package syntax

import (
	"strconv"
	"strings"
)

// FormatShape writes sizes as Python writes a tuple: "()", "(3,)", "(3, 4)".
func FormatShape(shape []int) string {
	if len(shape) == 1 {
		return "(" + strconv.Itoa(shape[0]) + ",)"
	}
	texts := make([]string, len(shape))
	for i, n := range shape {
		texts[i] = strconv.Itoa(n)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
