package dialogs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/app/files"
	"quell/ui/control"
)

func TestSaveAsksBeforeItReplacesAForeignFile(t *testing.T) {
	w := parent(t)
	folder := t.TempDir()
	type saved struct {
		path      string
		overwrite bool
	}
	var all []saved
	mine := filepath.Join(folder, "mine.html")
	if err := os.WriteFile(mine, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	Save(SaveRequest{
		Title: "Save a report", Note: "One file.", Folder: folder, Name: ReportName(finished(t), false), Show: func(d dialog.Dialog) { d.Show() },
		Check: func(path string, overwrite bool) error {
			if strings.HasSuffix(path, "bad.html") {
				return errors.New("it cannot be written")
			}
			return files.Check(files.ReportOutput, path, overwrite)
		},
		Save: func(path string, overwrite bool) { all = append(all, saved{path, overwrite}) },
	}, w).Show()
	entry, save := find[*control.Entry](t, w)[0], button(t, w, "Save")
	said := func(part string) bool {
		return slices.ContainsFunc(find[*widget.Label](t, w), func(l *widget.Label) bool { return strings.Contains(l.Text, part) })
	}
	if entry.Text != filepath.Join(folder, "mr-nlm-3d.html") || save.Disabled() || !said("One file.") {
		t.Errorf("suggested %q", entry.Text)
	}
	for path, why := range map[string]string{filepath.Join(folder, "bad.html"): "It cannot be written.", "report.html": "the whole path"} {
		entry.SetText(path)
		if !save.Disabled() || !said(why[1:]) {
			t.Errorf("%s can be written, or the dialog does not say why not", path)
		}
	}
	entry.SetText(mine)
	if save.Disabled() || !said("You are asked before it is replaced") {
		t.Fatal("a foreign file cannot be replaced, or without a word")
	}
	test.Tap(save)
	test.Tap(button(t, w, "Keep it"))
	if len(all) != 0 {
		t.Fatalf("saved %+v after the answer to keep the file", all)
	}
	test.Tap(save)
	test.Tap(button(t, w, "Replace"))
	if len(all) != 1 || all[0] != (saved{mine, true}) || w.Canvas().Overlays().Top() != nil {
		t.Errorf("saved %+v; want once, with leave to overwrite, and no dialog open", all)
	}
	Save(SaveRequest{Folder: folder, Name: "new.html", Check: files.CheckOf(files.ReportOutput), Save: func(path string, overwrite bool) { all = append(all, saved{path, overwrite}) }}, w).Show()
	test.Tap(button(t, w, "Save"))
	if len(all) != 2 || all[1] != (saved{filepath.Join(folder, "new.html"), false}) {
		t.Errorf("saved %+v", all[1:])
	}
}
