package app

import "testing"

func TestMemTotal(t *testing.T) {
	for text, want := range map[string]int64{"MemFree: 5 kB\nMemTotal:       16314132 kB\n": 16314132 << 10, "MemTotal 3": 0, "": 0} {
		if got := memTotal(text); got != want {
			t.Errorf("%q: %d; want %d", text, got, want)
		}
	}
}
