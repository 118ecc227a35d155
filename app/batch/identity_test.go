package batch

import (
	"strings"
	"testing"

	"quell/app"
)

// TestOtherProgram: a worker of another version is refused, with both versions in the sentence.
func TestOtherProgram(t *testing.T) {
	spec := Spec{Quell: app.Version() + "x", Output: t.TempDir()}
	_, err := NewWorker(spec, 1, 1<<30, Events{})
	if app.ExitCode(err) != app.ExitUsage || !strings.Contains(err.Error(), "begun by Quell "+spec.Quell+", and this is "+app.Version()+";") {
		t.Errorf("%v", err)
	}
}
