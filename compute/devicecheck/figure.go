package devicecheck

import (
	"fmt"
	"slices"
	"strings"
)

// A Verdict says what is to be thought of a figure.
type Verdict string

// The verdicts.
const (
	OK      Verdict = "ok"
	Missed  Verdict = "missed"  // less than the goal
	Wrong   Verdict = "wrong"   // other bits than the CPU's, or something failed
	Skipped Verdict = "skipped" // Note says why
)

// A Figure is something that was counted or measured.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`

	// Low and High are the extremes of what was measured, of which Value is the median.
	Low  float64 `json:"low,omitempty"`
	High float64 `json:"high,omitempty"`
	Runs int     `json:"runs,omitempty"`

	// Limit is what is possible at most, and Ratio the part of it that Value is.
	Limit   float64 `json:"limit,omitempty"`
	LimitOf string  `json:"limit_of,omitempty"`
	Ratio   float64 `json:"ratio,omitempty"`
	Goal    float64 `json:"goal,omitempty"` // of Ratio

	Verdict Verdict `json:"verdict"`
	Note    string  `json:"note,omitempty"`
}

// judged returns a figure with its ratio and verdict. Without a limit there is no goal.
func judged(f Figure) Figure {
	if f.Limit > 0 {
		f.Ratio = f.Value / f.Limit
	} else {
		f.Goal = 0
	}
	if f.Verdict == "" {
		f.Verdict = OK
		if f.Ratio < f.Goal {
			f.Verdict = Missed
		}
	}
	return f
}

// counted is a figure of comparisons: all of want is the goal.
func counted(name string, done, want int, err error) Figure {
	f := Figure{Name: name, Value: float64(done), Unit: "equal", Limit: float64(want), Goal: 1}
	if err != nil {
		f.Verdict, f.Note = Wrong, err.Error()
	} else if done < want {
		f.Note = "no time for more"
	}
	return judged(f)
}

// String is a line of a table. Notes of several lines end with the first.
func (f Figure) String() string {
	limit, spread := "", ""
	if f.Limit > 0 {
		limit = strings.TrimRight(fmt.Sprintf("%.2f of %s %s", f.Ratio, digits(f.Limit), f.LimitOf), " ")
	}
	if f.Goal > 0 && f.Goal < 1 {
		limit += fmt.Sprintf(", goal %.3g", f.Goal)
	}
	if f.Runs > 1 {
		spread = fmt.Sprintf("%s…%s", digits(f.Low), digits(f.High))
	}
	note, _, _ := strings.Cut(f.Note, "\n")
	value := strings.TrimSpace(digits(f.Value) + " " + f.Unit)
	if f.Verdict == Skipped || f.Unit == "" {
		value = ""
	}
	line := fmt.Sprintf("%-8s%-46s%17s  %-18s%s", f.Verdict, f.Name, value, spread, limit)
	if note != "" {
		line = strings.TrimRight(line, " ") + "  (" + note + ")"
	}
	return strings.TrimRight(line, " ")
}

// digits prints a number with three digits at least.
func digits(x float64) string {
	switch {
	case x >= 100 || x == float64(int(x)):
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// A sample is what several runs took, in seconds, in ascending order.
type sample []float64

// rate returns a figure of work per second.
func (s sample) rate(name, unit string, work float64) Figure {
	times := slices.Sorted(slices.Values(s))
	if len(times) == 0 || times[0] <= 0 {
		return Figure{Name: name, Verdict: Skipped, Note: "no time for it"}
	}
	return Figure{
		Name: name, Unit: unit, Runs: len(times),
		Value: work / times[len(times)/2], Low: work / times[len(times)-1], High: work / times[0],
	}
}
