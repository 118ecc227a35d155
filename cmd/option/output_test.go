package option

import (
	"testing"

	"quell/app/job"
	"quell/denoise"
	"quell/io/dicom"
)

func TestCompressFlag(t *testing.T) {
	for text, want := range map[string]dicom.Compression{
		"true": job.DefaultCompression, "false": dicom.Uncompressed,
		string(dicom.RLE): dicom.RLE, string(dicom.JPEGLossless): dicom.JPEGLossless, string(dicom.Uncompressed): dicom.Uncompressed,
	} {
		var f Compress
		if err := f.Set(text); err != nil || f.Compression != want || f.String() != string(want) {
			t.Errorf("%s: %s, %v", text, f.Compression, err)
		}
	}
	f := Compress{dicom.RLE}
	if err := f.Set("magic"); err == nil || f.Compression != dicom.RLE {
		t.Errorf("an unknown compression: %s, %v", f.Compression, err)
	}
}

func TestParameterFlags(t *testing.T) {
	for kind, want := range map[denoise.Kind]string{denoise.Int: "n", denoise.Choice: "word", denoise.Switch: "", denoise.Ints: "n,n,..."} {
		if got := TypeOf(denoise.Param{Kind: kind}); got != want {
			t.Errorf("kind %v: %q, want %q", kind, got, want)
		}
	}
	var f Param
	if f.String() != "" {
		t.Errorf("a flag that is not set is %q", f.String())
	}
	if err := f.Set("12"); err != nil || !f.Given || f.String() != "12" {
		t.Errorf("%q, %v", f.String(), err)
	}
	if err := f.Set("1,x"); err == nil || f.Given {
		t.Errorf("a value that is none: %v, set %v", err, f.Given)
	}
}
