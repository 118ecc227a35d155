// Command testsummary reads the output of "go test -json" from its standard input
// and prints one line per package, the output of what failed, and at the end how
// many tests passed, failed and were skipped, with each reason for a skip. It exits
// with 1 if a test or a build failed. The argument is the number of packages. On a
// terminal a line at the end shows how many of them have ended and which are running.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

func main() {
	s := newSummary(os.Stdout)
	if len(os.Args) > 1 {
		s.packages, _ = strconv.Atoi(os.Args[1]) // 0 if it is no number
	}
	stop := func() {}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		stop = s.live(time.Second)
	}
	err := s.read(os.Stdin)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
		os.Exit(1)
	}
	s.print()
	if s.failed() {
		os.Exit(1)
	}
}

// event is a line of "go test -json" (go doc test2json, go help buildjson).
type event struct {
	Action      string
	Package     string
	ImportPath  string // of a build
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

// test names a test or, with an empty name, a package.
type test struct{ pkg, name string }

// summary counts tests while it reads their events.
type summary struct {
	mu             sync.Mutex // guards what follows
	w              io.Writer
	packages       int                 // that are tested; 0 if not known
	ended          int                 // packages
	running        []string            // packages, in the order of their starts
	status         string              // that the terminal shows
	output         map[test][]string   // of tests and packages that have not ended
	builds         map[string][]string // compiler messages by import path
	passed         int
	failures       []test
	skipped        int
	reasons        map[string]int
	failedPackages int
}

func newSummary(w io.Writer) *summary {
	return &summary{w: w, output: map[test][]string{}, builds: map[string][]string{}, reasons: map[string]int{}}
}

// read reads events up to the end of r. A line that is no event is printed.
func (s *summary) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		s.line(lines.Bytes())
	}
	return lines.Err()
}

func (s *summary) line(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var e event
	if json.Unmarshal(line, &e) != nil {
		s.show("")
		fmt.Fprintf(s.w, "%s\n", line)
		return
	}
	s.add(e)
}

// live shows the status on a terminal until stop.
func (s *summary) live(every time.Duration) (stop func()) {
	began, done, stopped := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			s.mu.Lock()
			s.show(s.statusText(time.Since(began)))
			s.mu.Unlock()
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-stopped
		s.show("")
	}
}

// statusText is a line like "12 of 60 packages, 1m10s: app, io/dicom".
func (s *summary) statusText(took time.Duration) string {
	text := fmt.Sprintf("%d packages", s.ended)
	if s.packages > 0 {
		text = fmt.Sprintf("%d of %d packages", s.ended, s.packages)
	}
	text += ", " + took.Round(time.Second).String() + ": "
	if len(s.running) == 0 {
		return text + "compiling"
	}
	const most = 3
	names := make([]string, 0, most)
	for _, pkg := range s.running[:min(most, len(s.running))] {
		names = append(names, strings.TrimPrefix(pkg, "quell/"))
	}
	if more := len(s.running) - most; more > 0 {
		return fmt.Sprintf("%s%s and %d more", text, strings.Join(names, ", "), more)
	}
	return text + strings.Join(names, ", ")
}

// show replaces the status on the terminal; "" removes it.
func (s *summary) show(status string) {
	if status != s.status {
		fmt.Fprint(s.w, "\r\x1b[K", status)
		s.status = status
	}
}

func (s *summary) add(e event) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "start":
		s.running = append(s.running, e.Package)
	case "build-output":
		s.builds[e.ImportPath] = append(s.builds[e.ImportPath], e.Output)
	case "output":
		s.output[t] = append(s.output[t], e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			s.endPackage(e)
		} else {
			s.endTest(e.Action, t)
		}
		delete(s.output, t)
	}
}

func (s *summary) endTest(action string, t test) {
	if action == "fail" {
		s.show("")
	}
	switch action {
	case "pass":
		s.passed++
	case "skip":
		s.skipped++
		s.reasons[reason(s.output[t])]++
	case "fail":
		s.failures = append(s.failures, t)
		fmt.Fprintf(s.w, "--- FAIL: %s %s\n", t.pkg, t.name)
		s.printOutput(s.output[t])
	}
}

// endPackage prints the package's line and, of one that failed, what it printed
// outside its tests: the shuffle's seed and a panic that no test is to blame for.
func (s *summary) endPackage(e event) {
	s.show("")
	s.ended++
	s.running = slices.DeleteFunc(s.running, func(pkg string) bool { return pkg == e.Package })
	switch e.Action {
	case "pass":
		fmt.Fprintf(s.w, "ok    %s  %.1f s\n", e.Package, e.Elapsed)
	case "fail":
		s.failedPackages++
		fmt.Fprintf(s.w, "FAIL  %s  %.1f s\n", e.Package, e.Elapsed)
		s.printOutput(s.builds[e.FailedBuild])
		s.printOutput(s.output[test{pkg: e.Package}])
		// Tests without an end were running when the package panicked or ran out of time.
		for t, output := range s.output {
			if t.pkg == e.Package && t.name != "" {
				s.failures = append(s.failures, t)
				fmt.Fprintf(s.w, "--- did not end: %s\n", t.name)
				s.printOutput(output)
				delete(s.output, t)
			}
		}
	}
}

func (s *summary) printOutput(lines []string) {
	for _, line := range lines {
		if !strings.HasPrefix(line, "=== ") {
			fmt.Fprint(s.w, "      ", line)
		}
	}
}

func (s *summary) failed() bool { return s.failedPackages > 0 || len(s.failures) > 0 }

// print writes the counts.
func (s *summary) print() {
	for _, t := range s.failures {
		fmt.Fprintf(s.w, "failed: %s %s\n", t.pkg, t.name)
	}
	fmt.Fprintf(s.w, "%d passed, %d failed, %d skipped\n", s.passed, len(s.failures), s.skipped)
	if s.failedPackages > 0 {
		fmt.Fprintf(s.w, "%d packages failed\n", s.failedPackages)
	}
	byCount := slices.SortedFunc(maps.Keys(s.reasons), func(a, b string) int {
		return cmp.Or(s.reasons[b]-s.reasons[a], strings.Compare(a, b))
	})
	for _, r := range byCount {
		fmt.Fprintf(s.w, "  %4d skipped: %s\n", s.reasons[r], r)
	}
}

// position is what testing puts before a message: "    file_test.go:12: ".
var position = regexp.MustCompile(`^\s+\S+\.go:\d+: `)

// reason returns why a test was skipped: its last message, up to the first colon so
// that "needs shared data: NAME" counts as one reason whatever the name is.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		if at := position.FindString(line); at != "" {
			text, _, _ := strings.Cut(strings.TrimSpace(line[len(at):]), ": ")
			return text
		}
	}
	return "no reason given"
}
