package crash_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"quell/internal/crash"
	"quell/internal/parallel"
)

const name = "DOE^JOHN"

// crashVariable makes this test program crash, in the way that it names.
const crashVariable = "QUELL_TEST_CRASH"

func TestMain(m *testing.M) {
	if crash.Monitor("test") {
		if os.Getenv("QUELL_CRASH_MONITOR") == "" {
			fmt.Println("the program takes itself for the monitor of another")
			os.Exit(1)
		}
		return
	}
	if path, ways, ok := strings.Cut(os.Getenv(crashVariable), "|"); ok {
		if err := crash.New(path, "test").Watch(); err != nil {
			fmt.Println(err)
		}
		done := make(chan bool)
		go crashes(ways, done)
		<-done
		return
	}
	os.Exit(m.Run())
}

func crashes(way string, done chan bool) {
	switch way {
	case "error":
		panic(fmt.Errorf("open /data/%s/1.dcm:\nmain.f(%s)\nno such file", name, name))
	case "index":
		fmt.Println([]string{name}[len(name)])
	case "end":
		close(done)
	}
}

// runToCrash runs this program in another process until it and its monitor, which
// shares its output, have ended, and returns the crash log.
func runToCrash(t *testing.T, way string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "folder", "crash.log")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashVariable+"="+path+"|"+way)
	out, err := cmd.CombinedOutput()
	if crashed := err != nil; crashed != (way != "end") {
		t.Fatalf("%v: %s", err, out)
	}
	log, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(log)
}

func TestACrashIsLoggedWithoutNames(t *testing.T) {
	for way, message := range map[string]string{
		"error": "panic: (text left out)",
		"index": "panic: runtime error: index out of range [8] with length 1",
	} {
		log := runToCrash(t, way)
		for _, part := range []string{message, "goroutine ", "crash_test.crashes(...)", "crash/crash_test.go:", "Quell test"} {
			if !strings.Contains(log, part) {
				t.Errorf("%s: the log lacks %q:\n%s", way, part, log)
			}
		}
		for _, part := range []string{"DOE", "/data", "dcm", string(filepath.Separator) + "folder"} {
			if strings.Contains(log, part) {
				t.Errorf("%s: the log holds %q:\n%s", way, part, log)
			}
		}
	}
}

func TestAnOrderlyEndIsNotLogged(t *testing.T) {
	if log := runToCrash(t, "end"); log != "" {
		t.Errorf("the log holds %q", log)
	}
}

func TestARecoveredPanicIsLoggedWithoutNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crash.log")
	log := crash.New(path, "1.2.3")
	for _, value := range []any{"cannot read " + name, fmt.Errorf("/data/%s", name)} {
		var p *parallel.Panic
		if err := parallel.Protect(func() error { panic(value) }); !errors.As(err, &p) {
			t.Fatal(err)
		}
		if got := log.Panicked(p); got != path {
			t.Errorf("the log is at %q; want %q", got, path)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if strings.Contains(text, "DOE") || strings.Contains(text, "/data") {
		t.Errorf("the log holds a name:\n%s", text)
	}
	for _, part := range []string{"panic: (string)", "Quell 1.2.3", "TestARecoveredPanic"} {
		if !strings.Contains(text, part) {
			t.Errorf("the log lacks %q:\n%s", part, text)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the log's mode is %v; want it for this user alone", info.Mode())
	}
}

// The runtime's own messages hold no names and are kept.
func TestARecoveredRuntimeErrorKeepsItsText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crash.log")
	var p *parallel.Panic
	if err := parallel.Protect(func() error { return []error{}[len(name)] }); !errors.As(err, &p) {
		t.Fatal(err)
	}
	crash.New(path, "1").Panicked(p)
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "\npanic: runtime error: index out of range [8] with length 0\n") {
		t.Errorf("%v, the log is\n%s", err, data)
	}
}

// TestTheMonitorOutlivesAnInterrupt: Ctrl-C reaches the program and its monitor alike,
// and the monitor still has to write what the program's end reports.
func TestTheMonitorOutlivesAnInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals of one process to another")
	}
	path := filepath.Join(t.TempDir(), "crash.log")
	monitor := exec.Command(os.Args[0])
	monitor.Env = append(os.Environ(), "QUELL_CRASH_MONITOR="+path)
	in, err := monitor.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := monitor.Start(); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds: once it is written, the monitor reads.
	if _, err := in.Write([]byte(strings.Repeat("x\n", 1<<19))); err != nil {
		t.Fatal(err)
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if err := monitor.Process.Signal(s); err != nil {
			t.Error(err)
		}
	}
	if _, err := in.Write([]byte("fatal error: all goroutines are asleep\n")); err != nil {
		t.Error(err)
	}
	in.Close()
	if err := monitor.Wait(); err != nil {
		t.Errorf("the monitor ended with %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "fatal error: all goroutines are asleep") {
		t.Errorf("%v, the log is\n%s", err, data)
	}
}

// An entry ends with an empty line, and the next one begins behind it.
func TestEntriesAreApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crash.log")
	log := crash.New(path, "7.8")
	for range 2 {
		log.Panicked(&parallel.Panic{Value: 5})
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	entry := `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  Quell 7\.8  go\S+ \S+/\S+\npanic: \(int\)\n\n`
	if !regexp.MustCompile("^" + entry + entry + "$").Match(data) {
		t.Errorf("the log is\n%q", data)
	}
}

func TestALogThatCannotBeWrittenHasNoPath(t *testing.T) {
	if got := crash.New(t.TempDir(), "1").Panicked(&parallel.Panic{Value: "x"}); got != "" {
		t.Errorf("path %q of a log that is a folder", got)
	}
	if runtime.GOOS == "linux" { // every write to this device fails
		if got := crash.New("/dev/full", "1").Panicked(&parallel.Panic{Value: "x"}); got != "" {
			t.Errorf("path %q of a log on a full disk", got)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := crash.New(filepath.Join(file, "crash.log"), "1").Panicked(&parallel.Panic{Value: "x"}); got != "" {
		t.Errorf("path %q of a log that is not there", got)
	}
}

func TestALargeLogStartsAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crash.log")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	crash.New(path, "1").Panicked(&parallel.Panic{Value: "x"})
	if info, err := os.Stat(path); err != nil || info.Size() <= 1<<20 {
		t.Fatalf("a log of exactly the limit has %d bytes with another entry", info.Size())
	}
	if err := os.WriteFile(path, make([]byte, 1<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	log := crash.New(path, "1")
	log.Panicked(&parallel.Panic{Value: "x"})
	first, err := os.Stat(path)
	if err != nil || first.Size() > 1000 {
		t.Fatalf("the log has %d bytes; want the new entry alone", first.Size())
	}
	log.Panicked(&parallel.Panic{Value: "x"})
	if second, err := os.Stat(path); err != nil || second.Size() != 2*first.Size() {
		t.Errorf("the log has %d bytes after a second entry of %d", second.Size(), first.Size())
	}
}
