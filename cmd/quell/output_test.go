package main

import (
	"testing"

	"quell/app/job"
	"quell/denoise"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/series"
)

func TestCompressFlag(t *testing.T) {
	for text, want := range map[string]dicom.Compression{
		"true": job.DefaultCompression, "false": dicom.Uncompressed,
		string(dicom.RLE): dicom.RLE, string(dicom.JPEGLossless): dicom.JPEGLossless, string(dicom.Uncompressed): dicom.Uncompressed,
	} {
		var f compressFlag
		if err := f.Set(text); err != nil || f.Compression != want || f.String() != string(want) {
			t.Errorf("%s: %s, %v", text, f.Compression, err)
		}
	}
	f := compressFlag{dicom.RLE}
	if err := f.Set("magic"); err == nil || f.Compression != dicom.RLE {
		t.Errorf("an unknown compression: %s, %v", f.Compression, err)
	}
}

func TestParameterFlags(t *testing.T) {
	for kind, want := range map[denoise.Kind]string{denoise.Int: "n", denoise.Choice: "word", denoise.Switch: "", denoise.Ints: "n,n,..."} {
		if got := typeOf(denoise.Param{Kind: kind}); got != want {
			t.Errorf("kind %v: %q, want %q", kind, got, want)
		}
	}
	var f paramFlag
	if f.String() != "" {
		t.Errorf("a flag that is not set is %q", f.String())
	}
	if err := f.Set("12"); err != nil || !f.set || f.String() != "12" {
		t.Errorf("%q, %v", f.String(), err)
	}
	if err := f.Set("1,x"); err == nil || f.set {
		t.Errorf("a value that is none: %v, set %v", err, f.set)
	}
}

// TestBarOfEachStep: a step has one bar; its length follows the total.
func TestBarOfEachStep(t *testing.T) {
	var b bar
	b.clear()
	b.update(job.Reading, 1, 10)
	first := b.shown
	b.update(job.Reading, 2, 20)
	if b.shown != first || first.GetMax64() != 20 || b.step != job.Reading {
		t.Errorf("the second update of a step: bar of %d", b.shown.GetMax64())
	}
	b.update(job.Filtering, 1, 5)
	if b.shown == first || b.shown.GetMax64() != 5 || b.step != job.Filtering {
		t.Error("another step goes on with the first bar")
	}
	b.clear()
	if b.shown != nil {
		t.Error("the bar is still there")
	}
}

func TestFindingsAreNeverNull(t *testing.T) {
	if got := orEmpty(nil); got == nil || len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := orEmpty([]series.Finding{{Text: message.Verbatim("x")}}); len(got) != 1 {
		t.Errorf("%v", got)
	}
}
