package compute_test

import "testing"

func TestHasIndexArrays(t *testing.T) {
	for text, want := range map[string]bool{
		"x": false, "x[3:5, ::-1].T + y": false, "x.reshape(2, -1)": false,
		"x[mask]": true, "(y*2)[x > 3] + 1": true, "sqrt(x[[1, 2]])": true, "x[i:]": true,
	} {
		if got := parsed(t, text).HasIndexArrays(); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}
