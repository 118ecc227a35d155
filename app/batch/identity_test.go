package batch

import (
	"strings"
	"testing"

	"quell/app/job"
)

// TestOtherProgram: a worker of another version is refused, with both versions in the sentence.
func TestOtherProgram(t *testing.T) {
	spec := Spec{Quell: job.Version() + "x", Output: t.TempDir()}
	_, err := NewWorker(spec, 1, 1<<30, Events{})
	if job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "begun by Quell "+spec.Quell+", and this is "+job.Version()+";") {
		t.Errorf("%v", err)
	}
}
