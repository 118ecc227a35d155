package language_test

import (
	"quell/ui/language"
	"testing"
	"time"
)

func TestDurationsHaveTwoDigits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 999 * time.Millisecond: "999 ms", time.Second: "1.0 s", 9940 * time.Millisecond: "9.9 s",
		10 * time.Second: "10 s", 59 * time.Second: "59 s", time.Minute: "1.0 min", 90 * time.Second: "1.5 min",
	} {
		if got := language.Duration(d); got != want {
			t.Errorf("%v: %q; want %q", d, got, want)
		}
	}
}
