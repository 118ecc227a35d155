package engines

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"quell/app/job"
	"quell/internal/message"
)

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk full"), 1},
		{job.Usagef("no filter is called %q", "x"), 2},
		{&job.InputError{Path: "a", Problem: message.Verbatim("is torn")}, 3},
		{fmt.Errorf("export: %w", context.Canceled), 130},
		{&job.InputError{Path: "a", Err: context.Canceled}, 130},
		{fmt.Errorf("while loading: %w", &job.InputError{}), 3},
		{&engineError{name: "cuda", why: errors.New("no device")}, 1},
	} {
		if got := job.ExitCode(c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
	if got := (&job.InputError{Path: "a.dcm", Problem: message.Verbatim("is torn"), Advice: message.Verbatim("copy it again")}).Error(); got != "a.dcm: is torn; copy it again" {
		t.Errorf("sentence %q", got)
	}
}
