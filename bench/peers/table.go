package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/dustin/go-humanize"
)

// line returns a row for the log, in seconds.
func (res *result) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s limit %.4f", res.row.id, res.limit)
	for _, name := range contenders {
		if c := res.cells[name]; c.seconds > 0 {
			fmt.Fprintf(&b, "  %s %.4g", name, c.seconds)
		} else if c.failed != "" {
			fmt.Fprintf(&b, "  %s", c.failed)
		}
	}
	return b.String()
}

// report prints the table in Markdown, and what the columns mean.
func (b *bench) report(out io.Writer) error {
	var t strings.Builder
	fmt.Fprintf(&t, "Operands of %s, best of %d interleaved rounds, %d threads, %d processors, %s/%s.\n\n",
		humanize.IBytes(uint64(b.size)), b.rounds, b.threads, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)

	names := b.names()
	t.WriteString("| work | limit | tstore | ÷ limit | goal | memory |")
	for _, name := range names {
		fmt.Fprintf(&t, " %s |", name)
	}
	t.WriteString("\n|" + strings.Repeat(" --- |", 6+len(names)) + "\n")

	for _, res := range b.results {
		t.WriteString(res.tableLine(names))
	}

	t.WriteString("\nPeers: their time ÷ tstore's, and in parentheses the private memory that one run took; – if they have no such operation; ≠ if the result differs by more than 1 %.\n")
	for _, c := range append([]*contender{b.limit}, b.others...) {
		fmt.Fprintf(&t, "%s: %s. ", c.name, c.version)
	}

	if len(b.missing) > 0 {
		fmt.Fprintf(&t, "Not to be had: %s.", strings.Join(b.missing, ", "))
	}

	_, err := fmt.Fprintln(out, t.String())
	return err
}

// names returns the peers that run.
func (b *bench) names() []string {
	var names []string
	for _, c := range b.others {
		if c.name != ours {
			names = append(names, c.name)
		}
	}
	return names
}

// tableLine returns a row of the table.
func (res *result) tableLine(names []string) string {
	own := res.cells[ours]
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |", res.row.work, duration(res.limit), duration(own.seconds),
		ratio(own.seconds, res.limit), optional(res.row.goal), own.memory())
	for _, name := range names {
		fmt.Fprintf(&b, " %s |", res.cells[name].against(own))
	}
	return b.String() + "\n"
}

// against returns a peer's cell beside ours.
func (c cell) against(own cell) string {
	switch {
	case c.failed != "":
		return "failed"
	case c.seconds == 0:
		return "–"
	case own.seconds == 0:
		return duration(c.seconds)
	}

	mark := ""
	if c.differs {
		mark = "≠ "
	}

	if !c.watched {
		return mark + ratio(c.seconds, own.seconds)
	}
	return fmt.Sprintf("%s%s (%s)", mark, ratio(c.seconds, own.seconds), c.memory())
}

func (c cell) memory() string {
	if !c.watched {
		return "–"
	}
	return humanize.IBytes(uint64(c.anon))
}

// duration returns a time in the unit that suits it, – for none.
func duration(seconds float64) string {
	switch {
	case seconds == 0:
		return "–"
	case seconds < 1e-3:
		return fmt.Sprintf("%.1f µs", seconds*1e6)
	}
	return fmt.Sprintf("%.4f s", seconds)
}

func ratio(a, b float64) string {
	if a == 0 || b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f×", a/b)
}

func optional(goal float64) string {
	if goal == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f×", goal)
}
