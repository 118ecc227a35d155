package ui_test

import (
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"quell/app/workbench"
	"quell/ui/control"
	"quell/ui/session/desk"
)

// invited returns the buttons of the invitation, by their texts; nil while it is hidden.
func (b *bench) invited() map[string]*control.Button {
	layer := b.workbench.Invite()
	if !layer.Visible() {
		return nil
	}
	buttons := map[string]*control.Button{}
	for _, o := range test.LaidOutObjects(layer) {
		if button, ok := o.(*control.Button); ok {
			buttons[button.Text] = button
		}
	}
	return buttons
}

// Without a series the panes offer ways to open one, the series that were open last among
// them.
func TestAnEmptyWorkbenchInvites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study", "series.nii")
	b := newBenchWith(t, large, func(s *workbench.Settings) { s.KeepRecent, s.RecentPaths = true, []string{path} })
	if b.invited() != nil {
		t.Error("the pictures of an open series are covered")
	}
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.command("close-series").Run()
	b.drain()
	b.tap("Discard")
	b.drain()
	if status := b.workbench.Status(); status != "Open a series, or drop a file or folder here." {
		t.Errorf("without a series the status bar says %q", status)
	}
	if left := append(b.workbench.SliceTexts(), b.workbench.WindowShown()); strings.Join(left, "") != "" {
		t.Errorf("the closed series has left %q", left)
	}
	buttons := b.invited()
	recent := filepath.Join("study", "series.nii")
	for _, text := range []string{"Open folder …", "Open file …", "Open the bundled series", recent} {
		if buttons[text] == nil {
			t.Fatalf("nothing offers %q", text)
		}
	}
	test.Tap(buttons[recent])
	b.until("a path that is not there failed", func() bool { return b.session().Tasks.Progress().Kind == desk.Idle })
	b.drain()
	if b.question() == "" || b.invited() == nil {
		t.Errorf("after an error (%q) nothing offers to open a series: %v", b.question(), b.invited() == nil)
	}
	b.press("Escape")
	b.command("keep-paths").Run() // which clears the list
	b.drain()
	if _, offered := b.invited()[recent]; offered {
		t.Error("the list was cleared, and is offered")
	}
	b.workbench.OpenBundled()
	if b.drain(); b.invited() != nil && b.session().Tasks.Busy() {
		t.Error("it invites while a series is read")
	}
	b.until("the bundled series is open", func() bool { return b.session().Series() != nil })
	b.drain()
	if b.invited() != nil {
		t.Error("the pictures are covered")
	}
}
