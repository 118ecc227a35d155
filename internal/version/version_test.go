package version

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	set := func(revision, modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	main := func(version string) debug.Module { return debug.Module{Version: version} }
	for _, c := range []struct {
		stamped string
		info    *debug.BuildInfo
		want    string
		named   bool
	}{
		{"", &debug.BuildInfo{Main: main("v1.2.3")}, "1.2.3", true},
		{"", &debug.BuildInfo{Main: main("v1.2.3"), Settings: set("0123456789abcdef", "false")}, "1.2.3", true},
		{"", &debug.BuildInfo{Main: main("v1.2.3+dirty"), Settings: set("0123456789abcdef", "true")}, Release + "+01234567.executable.hash", false},
		{"", &debug.BuildInfo{Main: main("v1.2.3+dirty")}, Release + "+executable.hash", false},
		{"", &debug.BuildInfo{Main: main("v1.2.3"), Settings: set("0123456789abcdef", "true")}, Release + "+01234567.executable.hash", false},
		{"", &debug.BuildInfo{Main: main("v0.0.0-20260101000000-0123456789ab"), Settings: set("0123456789abcdef", "false")}, Release + "+01234567", true},
		{"", &debug.BuildInfo{Main: main("v0.0.0-20260101000000-0123456789ab+dirty"), Settings: set("0123456789abcdef", "true")}, Release + "+01234567.executable.hash", false},
		{"", &debug.BuildInfo{Main: main("(devel)")}, Release + "+executable.hash", false},
		{"", &debug.BuildInfo{Main: main("(devel)"), Settings: set("0123", "false")}, Release + "+0123", true},
		{"", nil, Release + "+executable.hash", false},
		{"2.0.0", nil, "2.0.0", true},
		{"2.0.0", &debug.BuildInfo{Main: main("v1.2.3"), Settings: set("0123456789abcdef", "true")}, "2.0.0", true},
	} {
		if got, named := of(c.stamped, c.info, func() string { return "hash" }); got != c.want || named != c.named {
			t.Errorf("stamped %q, %+v: %q, %t; want %q, %t", c.stamped, c.info, got, named, c.want, c.named)
		}
	}
	if v := String(); len(v) > 64 { // DICOM's LO holds 64
		t.Errorf("version %q", v)
	}
}

// The hash is of the first file that can be read, whatever its length.
func TestHashOf(t *testing.T) {
	dir := t.TempDir()
	at := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	long := strings.Repeat("x", 1<<20)
	a, b, again := at("a", long+"a"), at("b", long+"b"), at("again", long+"a")
	sum := func(places ...string) string {
		h, err := hashOf(places)
		return fmt.Sprint(h, err)
	}
	if sum(a) == sum(b) || sum(a) != sum(again) || sum(filepath.Join(dir, "gone"), dir, b) != sum(b) {
		t.Error("the hash is not that of the bytes of the file")
	}
	if _, err := hashOf([]string{filepath.Join(dir, "gone")}); err == nil {
		t.Error("no file has a hash")
	}
	if _, err := hashOf(nil); err == nil {
		t.Error("no place has a hash")
	}
}

// TestProgramsDiffer builds programs without version control: two of different code have different
// versions, the same one built twice has one, and a stamp makes them equal.
func TestProgramsDiffer(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	const stamp = "-ldflags=-X quell/internal/version.stamped=7.8.9"
	binary := filepath.Join(t.TempDir(), "program.exe")
	run := func(flags ...string) (version, source, answer string) {
		t.Helper()
		args := append([]string{"build", "-buildvcs=false", "-trimpath", "-o", binary}, flags...)
		if out, err := exec.Command(goTool, append(args, "./testdata/program")...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		out, err := exec.Command(binary).CombinedOutput()
		parts := strings.Split(string(out), ",")
		if err != nil || len(parts) != 3 {
			t.Fatalf("%v: %s", err, out)
		}
		return parts[0], parts[1], parts[2]
	}
	one, source, first := run()
	other, _, second := run("-tags=other")
	again, _, _ := run()
	form := regexp.MustCompile(`^` + regexp.QuoteMeta(Release) + `\+executable\.[0-9a-f]{12}$`)
	if first == second || !form.MatchString(one) || !form.MatchString(other) || one == other || one != again || source != "" {
		t.Errorf("versions %q, %q and %q, source %q", one, other, again, source)
	}
	for _, flags := range [][]string{{stamp}, {stamp, "-tags=other"}} {
		if version, source, _ := run(flags...); version != "7.8.9" || source != "7.8.9" {
			t.Errorf("a stamped program has version %q and source %q", version, source)
		}
	}
}

// TestReleaseIsThatOfThePackage compares the places that state the version, and the two that state its date.
func TestReleaseIsThatOfThePackage(t *testing.T) {
	for name, pattern := range map[string]string{
		"FyneApp.toml": `(?m)^Version = "` + Release + `"$`, "CITATION.cff": `(?m)^version: ` + Release + `$`, "CHANGELOG.md": `(?m)^## ` + Release + ` - \d{4}-\d\d-\d\d$`,
	} {
		if text := read(t, name); !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("%s does not have the version %s of this package", name, Release)
		}
	}
	date := regexp.MustCompile(`(?m)^date-released: (.*)$`).FindStringSubmatch(read(t, "CITATION.cff"))
	if date == nil || !strings.Contains(read(t, "CHANGELOG.md"), "## "+Release+" - "+date[1]+"\n") {
		t.Errorf("CITATION.cff has another date than CHANGELOG.md: %q", date)
	}
}

// read returns a file in the root of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
