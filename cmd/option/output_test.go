package option

import (
	"runtime/debug"
	"testing"

	"github.com/spf13/cobra"

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

// TestMemory: --memory bounds the runtime too.
func TestMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	cmd, limit := &cobra.Command{}, int64(0)
	VolumeMemory(cmd, &limit, "filtered")
	for text, want := range map[string][2]int64{"600MB": {600e6, 568e6}, "96MB": {96e6, 64e6}, "97MB": {97e6, 65e6}, "1kB": {1000, 64e6}} {
		if err := cmd.Flags().Set("memory", text); err != nil || limit != want[0] || debug.SetMemoryLimit(-1) != want[1] {
			t.Errorf("%s: %d of %d, %v", text, debug.SetMemoryLimit(-1), limit, err)
		}
	}
}
