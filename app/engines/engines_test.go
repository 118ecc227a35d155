package engines_test

import (
	"errors"
	"testing"

	"quell/app/engines"
	"quell/app/job"
	"quell/denoise"
)

func TestEngines(t *testing.T) {
	usable := map[string]bool{}
	for _, e := range engines.All() {
		usable[e.Name] = e.Why.String() == ""
		if e.Why.String() == "" && e.Info.Name != e.Name {
			t.Errorf("%s is %+v", e.Name, e.Info)
		}
	}
	if !usable["cpu"] {
		t.Fatal("the cpu engine is missing")
	}
	for _, name := range []string{"", "auto", "cpu"} {
		if e, err := engines.Pick(name); err != nil || e == nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := engines.Pick("warp"); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("an unknown engine: %v", err)
	}
	if !usable["cuda"] {
		if _, err := engines.Pick("cuda"); !errors.Is(err, denoise.ErrUnsupported) || job.ExitCode(err) != job.ExitFailed {
			t.Errorf("a missing engine: %v", err)
		}
	}
}
