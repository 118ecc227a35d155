package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"quell/app/engines"
	"quell/app/job"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/io/atomic"
)

// TestOneObject: what a command found stays when it fails, with the error next to
// it.
func TestOneObject(t *testing.T) {
	for given, want := range map[string]string{
		"":                      `{"error":{"kind":"failed","text":"x"}}`,
		"{}\n":                  `{"error":{"kind":"failed","text":"x"}}`,
		"{\n  \"a\": {}\n}\n":   `{"a":{},"error":{"kind":"failed","text":"x"}}`,
		"{\"a\": \"}\"}":        `{"a":"}","error":{"kind":"failed","text":"x"}}`,
		"Usage:\n  \"quell\"\n": `{"error":{"kind":"failed","text":"x"},"text":"Usage:\n  \"quell\"\n"}`,
	} {
		var o oneObject
		o.WriteString(given)
		o.wrap()
		o.add("error", failure{Kind: "failed", Text: "x"})
		var got any
		if err := json.Unmarshal(o.Bytes(), &got); err != nil {
			t.Errorf("%q: %v in %q", given, err, o.String())
			continue
		}
		if data, _ := json.Marshal(got); string(data) != want {
			t.Errorf("%q becomes %s; want %s", given, data, want)
		}
	}
}

// TestKinds: of errors that no command of the tests brings about.
func TestKinds(t *testing.T) {
	panicked := parallel.Protect(func() error { panic("x") })
	for _, c := range []struct {
		err        error
		kind, file string
	}{
		{panicked, "internal", ""},
		{fmt.Errorf("run: %w", panicked), "internal", ""},
		{fmt.Errorf("the GPU: %w", engines.ErrFailed), "device", ""},
		{&atomic.Error{Path: "out", Problem: message.Verbatim("is full")}, "output", "out"},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: os.ErrPermission}, "output", "b"},
		{errors.New("x"), "failed", ""},
	} {
		if kind, file := kindOf(c.err, job.ExitFailed), fileOf(c.err); kind != c.kind || file != c.file {
			t.Errorf("%v: kind %s of %q; want %s of %q", c.err, kind, file, c.kind, c.file)
		}
	}
}
