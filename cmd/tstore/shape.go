package main

import (
	"fmt"
	"strconv"
	"strings"
)

// parseShape reads "3,4", "(3, 4)", "5" and "(5,)"; "()" is a scalar's. Sizes may be -1 where the
// caller can work them out.
func parseShape(text string) ([]int, error) {
	inner := strings.TrimSpace(text)
	if cut, ok := strings.CutPrefix(inner, "("); ok {
		if inner, ok = strings.CutSuffix(cut, ")"); !ok {
			return nil, fmt.Errorf("shape %q: expected it to end in ')'", text)
		}
		if strings.TrimSpace(inner) == "" {
			return []int{}, nil
		}
	}

	inner = strings.TrimSuffix(strings.TrimSpace(inner), ",")
	var shape []int
	for part := range strings.SplitSeq(inner, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < -1 {
			return nil, fmt.Errorf("shape %q: want sizes such as 3,4 (a scalar's is \"()\"), found %q", text, strings.TrimSpace(part))
		}
		shape = append(shape, n)
	}

	return shape, nil
}

// formatTuple spells numbers as Python does: (3, 4), (3,), ().
func formatTuple[T int | int64](numbers []T) string {
	if len(numbers) == 1 {
		return fmt.Sprintf("(%d,)", numbers[0])
	}
	parts := make([]string, len(numbers))
	for i, n := range numbers {
		parts[i] = strconv.FormatInt(int64(n), 10)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
