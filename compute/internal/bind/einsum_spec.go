package bind

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A label names axes of the operands of einsum: a letter, or, of the axes that an ellipsis stands
// for, their number counted from the last, which is -1.
type label int

// String returns the letter of a label, or three dots.
func (l label) String() string {
	if l < 0 {
		return "..."
	}
	return strconv.QuoteRune(rune(l))
}

// An einsumSpec says which axes of the operands are one, and which of them the result has.
type einsumSpec struct {
	operands [][]label
	output   []label
}

// ellipsis stands for an ellipsis until it is known for how many axes.
const ellipsis label = 0

// parseEinsum reads subscripts such as "ij,jk->ik" for operands of the given ranks, as NumPy does.
// Without an arrow the result has the axes of the ellipsis first, and then the labels that occur
// once, in alphabetical order.
func parseEinsum(text string, ranks []int) (einsumSpec, error) {
	inputs, output, explicit := strings.Cut(strings.ReplaceAll(text, " ", ""), "->")
	parts := strings.Split(inputs, ",")
	if len(parts) != len(ranks) {
		return einsumSpec{}, fmt.Errorf("einsum: %q is for %d operands, found %d", text, len(parts), len(ranks))
	}

	// most is the largest number of axes that an ellipsis stands for.
	var s einsumSpec
	most := 0
	for i, part := range parts {
		labels, err := parseLabels(part)
		if err != nil {
			return s, fmt.Errorf("einsum: %q: %w", text, err)
		}

		hidden := ranks[i] - len(labels)
		if slices.Contains(labels, ellipsis) {
			hidden++
		}
		if hidden < 0 || hidden > 0 && !slices.Contains(labels, ellipsis) {
			return s, fmt.Errorf("einsum: %q names %d axes of operand %d, which has %d", part, len(labels), i+1, ranks[i])
		}

		most = max(most, hidden)
		s.operands = append(s.operands, expandEllipsis(labels, hidden))
	}

	if !explicit {
		s.output = append(expandEllipsis([]label{ellipsis}, most), s.single()...)
		return s, nil
	}

	labels, err := parseLabels(output)
	if err != nil {
		return s, fmt.Errorf("einsum: %q: %w", text, err)
	}
	s.output = expandEllipsis(labels, most)
	return s, s.checkOutput(text, most)
}

// parseLabels reads the letters of one operand.
func parseLabels(text string) ([]label, error) {
	var labels []label
	for len(text) > 0 {
		if rest, ok := strings.CutPrefix(text, "..."); ok {
			if slices.Contains(labels, ellipsis) {
				return nil, fmt.Errorf("two ellipses in one operand")
			}
			labels, text = append(labels, ellipsis), rest
			continue
		}

		c := text[0]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return nil, fmt.Errorf("expected letters, commas, %q and %q, found %q", "...", "->", c)
		}
		labels, text = append(labels, label(c)), text[1:]
	}
	return labels, nil
}

// expandEllipsis puts the labels of so many axes where the ellipsis is.
func expandEllipsis(labels []label, axes int) []label {
	at := slices.Index(labels, ellipsis)
	if at < 0 {
		return labels
	}
	hidden := make([]label, axes)
	for i := range hidden {
		hidden[i] = label(i - axes)
	}
	return slices.Concat(labels[:at], hidden, labels[at+1:])
}

// single returns the letters that stand once in all operands.
func (s *einsumSpec) single() []label {
	count := map[label]int{}
	for _, labels := range s.operands {
		for _, l := range labels {
			count[l]++
		}
	}
	var once []label
	for l, n := range count {
		if n == 1 && l > 0 {
			once = append(once, l)
		}
	}
	slices.Sort(once)
	return once
}

// checkOutput checks a given output. hidden of its axes belong to the ellipsis.
func (s *einsumSpec) checkOutput(text string, hidden int) error {
	all := slices.Concat(s.operands...)
	for i, l := range s.output {
		switch {
		case !slices.Contains(all, l):
			return fmt.Errorf("einsum: %q: no operand has the axis %q of the result", text, rune(l))
		case slices.Contains(s.output[:i], l):
			return fmt.Errorf("einsum: %q: the result has the axis %q twice", text, rune(l))
		}
	}
	if hidden > 0 && !slices.Contains(s.output, -1) {
		return fmt.Errorf("einsum: %q: the result has no ellipsis for axes that those of the operands stand for", text)
	}
	return nil
}
