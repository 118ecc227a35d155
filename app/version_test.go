package app

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	set := func(kv ...string) (out []debug.BuildSetting) {
		for i := 0; i < len(kv); i += 2 {
			out = append(out, debug.BuildSetting{Key: kv[i], Value: kv[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "1.2.3"},
		{debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, release},
		{debug.BuildInfo{
			Main:     debug.Module{Version: "v0.0.0-20260101000000-0123456789ab"},
			Settings: set("vcs.revision", "0123456789abcdef", "vcs.modified", "true"),
		}, release + "+01234567.modified"},
	} {
		if got := versionOf(&c.info); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if Version() == "" || len(Version()) > 64 { // DICOM's LO holds 64
		t.Errorf("version %q", Version())
	}
}

// TestVersionIsThatOfThePackage compares the two places that hold the version.
func TestVersionIsThatOfThePackage(t *testing.T) {
	manifest, err := os.ReadFile("../FyneApp.toml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(manifest), fmt.Sprintf("Version = %q\n", release)) {
		t.Errorf("FyneApp.toml does not have the version %s of app/version.go:\n%s", release, manifest)
	}
}
