package dicomweb_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"quell/io/dicomweb"
	"quell/io/dimse/dimsetest"
)

const (
	base  = "http://pacs.example/dicom-web"
	study = "1.2.3"
	serie = "1.2.3.4"
)

// inBubble runs a test with a client of a server, and with a clock that only waits move.
func inBubble(t *testing.T, config dicomweb.Config, serve http.HandlerFunc, test func(t *testing.T, c *dicomweb.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := dimsetest.NewPipes()
		server := &http.Server{Handler: serve}
		ended := make(chan struct{})
		go func() { _ = server.Serve(p); close(ended) }()
		if config.Base == "" {
			config.Base, config.AllowPlain = base, true
		}
		c, err := dicomweb.New(config)
		if err != nil {
			t.Fatal(err)
		}
		dicomweb.SetDial(c, p.Dial)
		defer func() {
			c.Close()
			_ = server.Shutdown(context.Background()) // waits for slow handlers, by the clock of the bubble
			<-ended
		}()
		test(t, c)
	})
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Fatalf("error %q, want %q in it", err, part)
		}
	}
}

// instancesJSON is a page of a search for instances.
func instancesJSON(w io.Writer, from, to int) {
	fmt.Fprint(w, "[")
	for i := from; i < to; i++ {
		if i > from {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, `{"00080018":{"Value":["1.9.%d"],"vr":"UI"}}`, i)
	}
	fmt.Fprint(w, "]")
}

var quiet = log.New(io.Discard, "", 0)
