package devicecheck

import (
	"errors"
	"testing"
)

func TestFigureString(t *testing.T) {
	rate := sample{0.5, 0.25, 1}.rate("copies", "GB/s", 10)
	limited := rate
	limited.Limit, limited.LimitOf, limited.Goal = 40, "device copy", 0.85
	for _, tt := range []struct {
		f       Figure
		verdict Verdict
		want    string
	}{
		{judged(rate), OK, "ok      copies                                                  20 GB/s  10…40"},
		{judged(limited), Missed, "missed  copies                                                  20 GB/s  10…40             0.50 of 40 device copy, goal 0.85"},
		{counted("programs", 7, 7, nil), OK, "ok      programs                                                7 equal                    1.00 of 7"},
		{counted("programs", 6, 7, nil), Missed, "missed  programs                                                6 equal                    0.86 of 7  (no time for more)"},
		{counted("programs", 6, 7, errors.New("a bit\nof program 6")), Wrong, "wrong   programs                                                6 equal                    0.86 of 7  (a bit)"},
		{sample(nil).rate("sums", "GB/s", 1), Skipped, "skipped sums  (no time for it)"},
	} {
		if got := tt.f.String(); got != tt.want || tt.f.Verdict != tt.verdict {
			t.Errorf("got %s\n%s\nwant %s\n%s", tt.f.Verdict, got, tt.verdict, tt.want)
		}
	}
}
