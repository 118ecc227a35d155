package main

import (
	"strings"
	"testing"
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
