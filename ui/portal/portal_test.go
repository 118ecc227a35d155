//go:build linux || freebsd || openbsd || netbsd

package portal

import (
	"os"
	"path/filepath"
	"testing"
)

// A path of the desktop's dialog is taken as it is meant, with its plus signs.
func TestChosenPath(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"CT+contrast", "my head"} {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for uri, want := range map[string]string{
		"file://" + dir + "/CT contrast": dir + "/CT+contrast",
		"file://" + dir + "/my head":     dir + "/my head",
		"file://" + dir + "/gone":        dir + "/gone",
	} {
		if got, err := chosenPath(uri); got != want || err != nil {
			t.Errorf("%s gives %q, %v; want %q", uri, got, err, want)
		}
	}
	if _, err := chosenPath("smb://server/head"); err == nil {
		t.Error("a file of another computer is taken")
	}
}

// Without a session bus there is no dialog of the desktop.
func TestDesktopDialogNeedsASessionBus(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	if !Exists() {
		t.Error("a session bus is not seen")
	}
	if _, err := Ask("", "Open", "", true); err == nil {
		t.Error("a dialog was shown without a bus")
	}
}
