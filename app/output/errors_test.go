package output

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/dicom"
)

func TestWriteErrorsNameTheOutput(t *testing.T) {
	source := &dicom.Error{Name: "IM1", Problem: message.Verbatim("is torn")}
	for _, err := range []error{context.Canceled, context.DeadlineExceeded, source} {
		if got := writeError("out", err); !errors.Is(got, err) || got.Error() != err.Error() {
			t.Errorf("%v became %v", err, got)
		}
	}
	nameless := &dicom.Error{Problem: message.Verbatim("is torn")}
	if got := writeError("out", nameless); !strings.HasPrefix(got.Error(), "out: is torn") || nameless.Name != "" {
		t.Errorf("an error without a name became %v; the original is %v", got, nameless)
	}
	var worded *atomic.Error
	if got := writeError("out", &os.PathError{Path: "/stage/x", Err: syscall.ENOSPC}); !errors.As(got, &worded) || strings.Contains(got.Error(), "stage") {
		t.Errorf("an error of the system became %v", got)
	}
	if got := writeError("out", errors.New("cannot be read back")); got.Error() != "out: cannot be read back" {
		t.Errorf("another became %v", got)
	}
}
