package dialogs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/app/job"
	"quell/app/pacs"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/ui/control"
)

func sendPlan() pacs.Plan {
	o := dicom.Object{Name: "IM00001.dcm", Modality: "CT", Description: "HEAD [Quell nlm]", SeriesUID: "1.2", Patient: "DOE^JOHN", PatientID: "4711"}
	return pacs.Plan{Folder: "/home/somebody/out", Objects: []dicom.Object{o, o}, Others: 1}
}

// texts returns the text of all labels of the dialog on top.
func texts(t *testing.T, w fyne.Window) string {
	t.Helper()
	text := ""
	for _, l := range find[*widget.Label](t, w) {
		text += l.Text + "\n"
	}
	return text
}

// TestSendAsksFirst names series and files, masks the patient, and sends only what can be a node.
func TestSendAsksFirst(t *testing.T) {
	w := parent(t)
	var sent []pacs.Place
	Send(SendRequest{Plan: sendPlan(), Send: func(n pacs.Place, _ []string) { sent = append(sent, n) }}, w).Show()
	shown := texts(t, w)
	for _, want := range []string{"2 files of 1 series: CT, HEAD [Quell nlm]", "from out", "1 other files", "carry the patient's identity: D•••, ID 4•••"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in %q", want, shown)
		}
	}
	if strings.Contains(shown, "DOE") || strings.Contains(shown, "4711") || strings.Contains(shown, "somebody") {
		t.Errorf("the patient is named in %q", shown)
	}
	if !button(t, w, "Send").Disabled() || !button(t, w, "Test the connection").Disabled() || strings.Contains(shown, "is no DICOM node") {
		t.Error("it can be sent to nowhere, or is blamed before anything is typed")
	}
	fields := find[*control.Entry](t, w)
	fields[0].SetText("PACS@host")
	if !button(t, w, "Send").Disabled() || !strings.Contains(texts(t, w), "has no host and port") {
		t.Error("no port")
	}
	fields[0].SetText(" PACS@host:104 ")
	fields[1].SetText("SEVENTEEN_LETTERS")
	if !button(t, w, "Send").Disabled() {
		t.Error("an AE title of 17 letters")
	}
	fields[1].SetText("READING")
	if button(t, w, "Send").Disabled() || len(sent) != 0 {
		t.Fatalf("%v", sent)
	}
	check(t, w, "Connect by TLS").SetChecked(true)
	test.Tap(button(t, w, "Send"))
	if len(sent) != 1 || sent[0] != (pacs.Place{To: "PACS@host:104", From: "READING", TLS: true}) || w.Canvas().Overlays().Top() != nil {
		t.Errorf("%+v", sent)
	}
}

// TestSendAttaches: attachments can be chosen anew for an export that can be written again, and the dialog says that
// it is.
func TestSendAttaches(t *testing.T) {
	const maps, figures, again = "Attach maps of the noise and of what was removed", "Attach measurements (structured report)", "written again before it is sent"
	w := parent(t)
	says := func() bool {
		return slices.ContainsFunc(find[*widget.Label](t, w), func(l *widget.Label) bool { return l.Visible() && strings.Contains(l.Text, again) })
	}
	attached := []string{"none"}
	r := SendRequest{Plan: sendPlan(), At: pacs.Place{To: "A@a:1"}, Attach: []string{job.AttachMaps}, Send: func(_ pacs.Place, a []string) { attached = a }}
	Send(r, w).Show()
	for _, c := range find[*control.Check](t, w) {
		if c.Text == maps || c.Text == figures {
			t.Errorf("%q is offered for an export that cannot be written again", c.Text)
		}
	}
	test.Tap(button(t, w, "Cancel"))
	r.CanWrite = true
	Send(r, w).Show()
	if !check(t, w, maps).Checked || check(t, w, figures).Checked || says() {
		t.Error("at first the boxes are not as the export is")
	}
	check(t, w, figures).SetChecked(true)
	if !says() {
		t.Errorf("nothing says %q", again)
	}
	test.Tap(button(t, w, "Send"))
	if !slices.Equal(attached, job.Attachments()) {
		t.Errorf("%q", attached)
	}
}

func TestSendSaysWhoseFiles(t *testing.T) {
	p := sendPlan()
	if text := sendText(p, true); !strings.Contains(text, "(hidden here)") || strings.Contains(text, "•") {
		t.Error(text)
	}
	p.Objects[0].Deidentified = true
	if text := sendText(p, false); strings.Contains(text, "de-identified") {
		t.Error("one of two files is de-identified: " + text)
	}
	p.Objects[1].Deidentified = true
	if text := sendText(p, false); !strings.Contains(text, "de-identified") || strings.Contains(text, "•") {
		t.Error(text)
	}
	p = sendPlan()
	p.Objects[0].Patient, p.Objects[0].PatientID = "", ""
	if text := sendText(p, false); !strings.Contains(text, "identity: none, ID none") {
		t.Error("one of two files names a patient: " + text)
	}
	p.Objects[1].Patient, p.Objects[1].PatientID = "", ""
	if text := sendText(p, false); !strings.Contains(text, "name no patient") {
		t.Error(text)
	}
	if masked("") != "none" || masked("Ä") != "Ä•••" {
		t.Error("masked")
	}
}

// TestNodesAreKept fills in the last node, and another when it is chosen.
func TestNodesAreKept(t *testing.T) {
	w := parent(t)
	nodes := []pacs.Place{{To: "A@a:1", From: "ME"}, {To: "B@b:2", From: "I", TLS: true}}
	var sent pacs.Place
	Send(SendRequest{Plan: sendPlan(), Nodes: nodes, Send: func(n pacs.Place, _ []string) { sent = n }}, w).Show()
	if fields := find[*control.Entry](t, w); fields[0].Text != "A@a:1" || fields[1].Text != "ME" || check(t, w, "Connect by TLS").Checked {
		t.Errorf("%q, %q", fields[0].Text, fields[1].Text)
	}
	find[*control.Select](t, w)[0].SetSelected("B@b:2")
	test.Tap(button(t, w, "Send"))
	if sent != nodes[1] {
		t.Errorf("%+v", sent)
	}
}

// TestConnectionIsTested shows the answer, of the node that is in the field alone.
func TestConnectionIsTested(t *testing.T) {
	w := parent(t)
	var answer func(error)
	var until context.Context
	asks := 0
	d := Send(SendRequest{Plan: sendPlan(), Nodes: []pacs.Place{{To: "A@a:1", From: "ME"}}, Echo: func(ctx context.Context, _ pacs.Place, done func(error)) {
		asks, answer, until = asks+1, done, ctx
	}}, w)
	d.Show()
	if asks != 0 {
		t.Error("the node is asked before the button is pressed")
	}
	ask := button(t, w, "Test the connection")
	test.Tap(ask)
	if !ask.Disabled() || !strings.Contains(texts(t, w), "Asking") {
		t.Error("no sign that it asks")
	}
	answer(nil)
	if ask.Disabled() || !strings.Contains(texts(t, w), "The PACS answers") {
		t.Error(texts(t, w))
	}
	test.Tap(ask)
	answer(errors.New("nothing listens there"))
	if !strings.Contains(texts(t, w), "Nothing listens there.") {
		t.Error(texts(t, w))
	}
	test.Tap(ask)
	old := answer
	find[*control.Entry](t, w)[0].SetText("B@b:1")
	old(nil)
	if strings.Contains(texts(t, w), "The PACS answers") || ask.Disabled() {
		t.Error("the answer of another node is shown")
	}
	d.Hide()
	if until.Err() == nil {
		t.Error("the wait goes on when the dialog is closed")
	}
}

func TestSent(t *testing.T) {
	w := parent(t)
	r := pacs.Report{Target: "A@a:1", Planned: 3, Stored: 3, Files: []pacs.SentFile{
		{Name: "1.dcm", Stored: true, Status: pacs.Stored}, {Name: "2.dcm", Stored: true, Status: message.Verbatim("stored, with elements changed (status B000)")}, {Name: "3.dcm", Stored: true, Status: pacs.Stored},
	}}
	Sent(r, nil, nil, w).Show()
	if shown := texts(t, w); !strings.Contains(shown, "A@a:1 confirmed all files: 3.\n2.dcm: stored, with elements changed") {
		t.Error(shown)
	}
	test.Tap(button(t, w, "Close"))
	for missing, text := range map[int]string{1: "Send the one that is missing", 2: "Send the 2 that are missing", 3: "Send again"} {
		again := false
		for i := range missing {
			r.Files[i].Stored, r.Files[i].Status = false, pacs.NotSent
		}
		r.Stored = 3 - missing
		Sent(r, errors.New("it failed"), func() { again = true }, w).Show()
		if shown := texts(t, w); !strings.Contains(shown, "It failed.") || strings.Contains(shown, "1.dcm: not sent") != (missing < 3) || strings.Contains(shown, "3.dcm") || strings.Contains(shown, "completely") != (missing < 3) {
			t.Error(shown)
		}
		test.Tap(button(t, w, text))
		if !again {
			t.Error("it is not sent again")
		}
		for i := range r.Files {
			r.Files[i].Stored = true
		}
	}
}
