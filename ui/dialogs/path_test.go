package dialogs

import (
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// A typed path is opened where it exists; otherwise the dialog stays and says so.
func TestAPathIsTyped(t *testing.T) {
	w := parent(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	if err := os.Mkdir(filepath.Join(home, "my head"), 0o700); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		filepath.Join(home, "my head"):                 filepath.Join(home, "my head"),
		" \"" + filepath.Join(home, "my head") + "\" ": filepath.Join(home, "my head"),
		"~/my head":  filepath.Join(home, "my head"),
		"~":          home,
		"~other":     "",
		home + "/no": "",
	} {
		opened := ""
		Path("", func(path string) { opened = path }, w).Show()
		field, confirm := find[*control.Entry](t, w)[0], button(t, w, "Open")
		if !confirm.Disabled() {
			t.Error("an empty path can be opened")
		}
		field.SetText(text)
		field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if opened != want {
			t.Errorf("%q opens %q; want %q", text, opened, want)
		}
		if open := w.Canvas().Overlays().Top() != nil; open != (want == "") {
			t.Errorf("%q leaves the dialog open: %t", text, open)
		} else if open {
			said := false
			for _, l := range find[*widget.Label](t, w) {
				said = said || l.Importance == widget.WarningImportance && l.Text != ""
			}
			if !said {
				t.Errorf("%q is refused without a word", text)
			}
			test.Tap(button(t, w, "Cancel"))
		}
	}
	Path("/data", nil, w).Show()
	if got := find[*control.Entry](t, w)[0].Text; got != "/data" || button(t, w, "Open").Disabled() {
		t.Errorf("the field begins with %q", got)
	}
}
