package serve

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"quell/app/job"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/io/dimse"
)

// TestAttached: what a rule attaches goes to the destination with the images, each instance once, and is refused when the
// destination sends it back.
func TestAttached(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	s.Rules[0].Do.Attach = job.Attachments()
	n := node(t, s, c)
	defer n.Close()
	to := receive(t, n)
	files := stack("7", 3, "X^Y")
	for z, f := range files { // large enough for the noise to be looked for
		f.With(part10.TagRows, 32).With(part10.TagColumns, 32).With(part10.TagRescaleIntercept, "0").With(part10.TagRescaleSlope, "1")
		f.Pixels = nil
		for i := range 32 * 32 {
			f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(40+(i*7919+z*104729)%31))
		}
	}
	send(t, to, files...)
	c.add(time.Minute)
	step(t, n)
	if got := n.Status(); got.Tasks[Sent] != 1 || got.Latest[0].Parts[0].Made != len(a.files) {
		t.Fatalf("%d files, %+v", len(a.files), got)
	}
	classes := map[string]int{}
	for uid, b := range a.files {
		p, err := part10.TokenizeBytes(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		elements := dicomtest.ElementBytes(t, b)
		class := p.SOPClass
		if classes[class]++; a.times[uid] != 1 || !bytes.Contains(elements[part10.TagPatientName], []byte("X^Y")) || !bytes.Contains(elements[part10.TagStudyInstanceUID], []byte("1.2.3.1")) {
			t.Errorf("%s was sent %d times, of %q in study %q", class, a.times[uid], elements[part10.TagPatientName], elements[part10.TagStudyInstanceUID])
		}
	}
	if classes[dicomtest.CtClass] != 3 || classes[part10.ParametricMap] < 1 || classes[part10.EnhancedSR] != 1 {
		t.Errorf("sent %v", classes)
	}

	// It comes back.
	for uid, b := range a.files {
		p, err := part10.TokenizeBytes(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		cx := dimse.Context{SOPClass: p.SOPClass, Syntax: part10.UIDExplicitLE}
		as, err := dimse.Dial(context.Background(), to, dimse.Config{Calling: "CT1"}, []dimse.Context{cx})
		if err != nil {
			t.Fatal(err)
		}
		data := b[p.Elements[0].Start:]
		answer, err := as.Store(context.Background(), dimse.Instance{Context: cx, UID: uid, Data: bytes.NewReader(data), Size: int64(len(data))})
		if err != nil || answer.Status != notAuthorized {
			t.Errorf("%s comes back: %v, %v", p.SOPClass, answer, err)
		}
		as.Abort()
	}
	c.add(time.Minute)
	if step(t, n); len(n.list) != 1 || n.Status().Refused != len(a.files) {
		t.Errorf("%+v", n.Status())
	}
}

// TestAttachedRule: a rule that attaches what there is not is refused, and measurements have the result judged whatever
// the rule says.
func TestAttachedRule(t *testing.T) {
	s := settings(t, newArchive(t))
	s.Rules[0].Do.Attach = []string{"pictures"}
	if err := s.Rules[0].Do.Check(); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("pictures: %v", err)
	}
	s.Rules[0].Do.Attach = slices.Clone(job.Attachments())
	if err := s.Rules[0].Do.Check(); err != nil {
		t.Error(err)
	}
}
