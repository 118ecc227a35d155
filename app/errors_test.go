package app

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk full"), 1},
		{Usagef("no filter is called %q", "x"), 2},
		{&InputError{Path: "a", Problem: "is torn"}, 3},
		{fmt.Errorf("export: %w", context.Canceled), 130},
		{&InputError{Path: "a", Err: context.Canceled}, 130},
		{fmt.Errorf("while loading: %w", &InputError{}), 3},
		{&engineError{name: "cuda", why: errors.New("no device")}, 1},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
	if got := (&InputError{Path: "a.dcm", Problem: "is torn", Advice: "copy it again"}).Error(); got != "a.dcm: is torn; copy it again" {
		t.Errorf("sentence %q", got)
	}
}
