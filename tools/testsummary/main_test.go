package main

import (
	"strings"
	"testing"
	"time"
)

func summaryOf(t *testing.T, events string) (*summary, string) {
	t.Helper()
	var out strings.Builder
	s := newSummary(&out)
	if err := s.read(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	s.print()
	return s, out.String()
}

func TestSummaryOfTestsThatPassAndSkip(t *testing.T) {
	s, got := summaryOf(t, `
{"Action":"start","Package":"quell/a"}
{"Action":"run","Package":"quell/a","Test":"TestA"}
{"Action":"output","Package":"quell/a","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"quell/a","Test":"TestA"}
{"Action":"output","Package":"quell/a","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"quell/a","Test":"TestB","Output":"    b_test.go:7: needs shared data: ct/one\n"}
{"Action":"output","Package":"quell/a","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"quell/a","Test":"TestB"}
{"Action":"output","Package":"quell/a","Test":"TestC","Output":"    b_test.go:7: needs shared data: ct/two\n"}
{"Action":"skip","Package":"quell/a","Test":"TestC"}
{"Action":"output","Package":"quell/a","Test":"TestD","Output":"    d_test.go:70: no GPU\n"}
{"Action":"skip","Package":"quell/a","Test":"TestD"}
{"Action":"skip","Package":"quell/a","Test":"TestE"}
{"Action":"pass","Package":"quell/a","Elapsed":1.25}
{"Action":"skip","Package":"quell/without/tests","Elapsed":0}
`)
	want := `
ok    quell/a  1.2 s
1 passed, 0 failed, 4 skipped
     2 skipped: needs shared data
     1 skipped: no GPU
     1 skipped: no reason given
`
	if got != want || s.failed() {
		t.Errorf("failed %v, printed:\n%s\nwant:\n%s", s.failed(), got, want)
	}
}

func TestSummaryOfFailures(t *testing.T) {
	s, got := summaryOf(t, `
{"Action":"output","Package":"quell/a","Test":"TestA","Output":"    a_test.go:3: wrong\n"}
{"Action":"fail","Package":"quell/a","Test":"TestA"}
{"Action":"output","Package":"quell/a","Output":"-test.shuffle 17\n"}
{"Action":"fail","Package":"quell/a","Elapsed":0.5}
{"Action":"output","Package":"quell/b","Test":"TestB","Output":"panic: test timed out\n"}
{"Action":"fail","Package":"quell/b","Elapsed":2}
{"Action":"build-output","ImportPath":"quell/c [quell/c.test]","Output":"c.go:1: undefined: x\n"}
{"Action":"build-fail","ImportPath":"quell/c [quell/c.test]"}
{"Action":"fail","Package":"quell/c","Elapsed":0,"FailedBuild":"quell/c [quell/c.test]"}
not JSON
`)
	for _, want := range []string{
		"--- FAIL: quell/a TestA\n          a_test.go:3: wrong\n",
		"FAIL  quell/a  0.5 s\n      -test.shuffle 17\n",
		"--- did not end: TestB\n      panic: test timed out\n",
		"FAIL  quell/c  0.0 s\n      c.go:1: undefined: x\n",
		"not JSON\n",
		"failed: quell/a TestA\nfailed: quell/b TestB\n0 passed, 2 failed, 0 skipped\n3 packages failed\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("printed:\n%s\nwant in it:\n%s", got, want)
		}
	}
	if !s.failed() {
		t.Error("it passed")
	}
}

// The status names what runs, and no line of the summary stays behind it.
func TestStatus(t *testing.T) {
	var out strings.Builder
	s := newSummary(&out)
	s.packages = 6
	for _, c := range []struct{ event, want string }{
		{``, "0 of 6 packages, 2s: compiling"},
		{`{"Action":"start","Package":"quell/a"}`, "0 of 6 packages, 2s: a"},
		{`{"Action":"start","Package":"quell/io/b"}`, "0 of 6 packages, 2s: a, io/b"},
		{`{"Action":"start","Package":"quell/c"}`, "0 of 6 packages, 2s: a, io/b, c"},
		{`{"Action":"start","Package":"quell/d"}`, "0 of 6 packages, 2s: a, io/b, c and 1 more"},
		{`{"Action":"pass","Package":"quell/a","Elapsed":1}`, "1 of 6 packages, 2s: io/b, c, d"},
		{`{"Action":"skip","Package":"quell/c"}`, "2 of 6 packages, 2s: io/b, d"},
	} {
		if c.event != "" {
			s.line([]byte(c.event))
		}
		if got := s.statusText(2 * time.Second); got != c.want {
			t.Errorf("after %s: %q; want %q", c.event, got, c.want)
		}
	}
	out.Reset()
	s.show("busy")
	s.show("busy")
	s.line([]byte(`{"Action":"fail","Package":"quell/d","Test":"TestX"}`))
	s.line([]byte(`{"Action":"pass","Package":"quell/io/b","Elapsed":2}`))
	s.show("still")
	s.line([]byte("not JSON"))
	if want := "\r\x1b[Kbusy\r\x1b[K--- FAIL: quell/d TestX\nok    quell/io/b  2.0 s\n\r\x1b[Kstill\r\x1b[Knot JSON\n"; out.String() != want {
		t.Errorf("the terminal gets %q; want %q", out.String(), want)
	}
}
