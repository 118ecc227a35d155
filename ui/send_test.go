package ui_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
	"quell/ui/control"
)

// TestSendAnExport exports a series, sends it, and sends what was not stored again.
func TestSendAnExport(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	send := b.command("send")
	if send.Enabled() {
		t.Error("there is no export to send")
	}
	refusals := 0
	s := dimsetest.Start(t, dimsetest.Behaviour{Store: func(string, net.Conn) dimse.Status {
		if refusals++; refusals == 3 {
			return 0xA700
		}
		return 0
	}})
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	field := func() *control.Entry {
		t.Helper()
		for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
			if e, ok := o.(*control.Entry); ok {
				return e
			}
		}
		t.Fatal("there is no field")
		return nil
	}
	export := func(name string) {
		t.Helper()
		b.command("export").Run()
		b.until("the dialog is open", func() bool { return b.canvas().Overlays().Top() != nil })
		field().SetText(filepath.Join(t.TempDir(), name))
		b.tap("Export")
		b.until("the export is written", func() bool {
			return !b.session().Tasks.Busy() && strings.Contains(b.question(), "written and read back")
		})
	}
	export("out.nii.gz")
	if strings.Contains(b.question(), "Send to") || send.Enabled() {
		t.Error("NIfTI can be sent")
	}
	b.tap("Close")
	export("series")
	if !send.Enabled() {
		t.Error("the export cannot be sent")
	}
	b.tap("Send to PACS …")
	b.until("the question is asked", func() bool { return strings.Contains(b.question(), "7 files of 1 series: ") })
	if len(s.Seen().Calling) != 0 {
		t.Error("the node is called before the question is answered")
	}
	refused := "NOBODY@127.0.0.1:1"
	field().SetText(refused)
	b.tap("Send")
	b.until("the node is not reached", func() bool { return !b.session().Tasks.Busy() && strings.Contains(b.question(), "Not sent") })
	if nodes := b.workbench.Settings().Nodes; len(nodes) != 0 {
		t.Errorf("%v are kept, which stored nothing", nodes)
	}
	b.tap("Send again")
	if strings.Contains(b.question(), "Not sent") || field().Text != refused {
		t.Errorf("%q is in the field; want the address, to correct it", field().Text)
	}
	if b.session().Tasks.Busy() || len(s.Seen().Calling) != 0 {
		t.Error("it is sent before the address is confirmed")
	}
	field().SetText(s.String())
	b.tap("Send")
	b.until("the answer is shown", func() bool { return strings.Contains(b.question(), "6 of 7 files are stored") })
	b.tap("Send the one that is missing")
	b.until("it is sent", func() bool { return strings.Contains(b.question(), "confirmed all files: 1.") })
	if len(s.Stored()) != 7 {
		t.Errorf("%d stored", len(s.Stored()))
	}
	b.tap("Close")
	send.Run()
	b.until("the question is asked again", func() bool { return strings.Contains(b.question(), "7 files") })
	if field().Text != s.String() {
		t.Errorf("%q is suggested", field().Text)
	}
	if nodes := b.workbench.Settings().Nodes; len(nodes) != 1 || nodes[0].To != s.String() {
		t.Errorf("kept are %v; want the node that stored files", nodes)
	}
	// With another choice of attachments the export is written again first.
	box := func() (found *control.Check) {
		for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
			if c, ok := o.(*control.Check); ok && strings.HasPrefix(c.Text, "Attach maps") {
				found = c
			}
		}
		return found
	}
	stored := len(s.Stored())
	box().SetChecked(true)
	b.tap("Send")
	b.until("images and maps are sent", func() bool { return strings.Contains(b.question(), "confirmed all files: 9.") })
	if n := len(s.Stored()) - stored; n != 2 {
		t.Errorf("%d are new in the PACS; want the 2 maps, as the images are the same", n)
	}
	b.tap("Close")
	send.Run()
	b.until("the question names the maps", func() bool { return strings.Contains(b.question(), "9 files of 3 series") })
	if c := box(); !c.Checked {
		t.Error("the maps that are there are not checked")
	}
	b.tap("Cancel")
	b.session().Tuning.Set(denoiseBy(t, "gaussian", "sigma-spatial", 2), true)
	b.session().Results.Apply()
	b.until("another result is there", b.session().Results.Applied)
	send.Run()
	b.until("the question is asked for the first export", func() bool { return strings.Contains(b.question(), "9 files of 3 series") })
	if box() != nil {
		t.Error("the export of another result is written again")
	}

	// A node that was used before is proposed again when it refuses, and kept.
	field().SetText(refused)
	b.tap("Send")
	b.until("the node is not reached again", func() bool { return !b.session().Tasks.Busy() && strings.Contains(b.question(), "Not sent") })
	b.tap("Send again")
	if nodes := b.workbench.Settings().Nodes; field().Text != refused || len(nodes) != 1 {
		t.Errorf("%q is in the field, kept are %v", field().Text, nodes)
	}
}
