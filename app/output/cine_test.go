package output_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"quell/app/files"
	"quell/app/output"
	"quell/report"
)

// threeGreys is a cine of three even pictures of an odd size.
func threeGreys() output.Cine {
	m := image.NewGray(image.Rect(0, 0, 33, 21))
	return output.Cine{Frames: 3, Rate: 10, Label: "W 400  L 40", Draw: func(i int) image.Image {
		for k := range m.Pix {
			m.Pix[k] = uint8(100 * i)
		}
		return m
	}}
}

// A cine is an animated PNG by its ending, with its progress, and is known again; nothing foreign is replaced, and no part of a
// cine that was cancelled is left.
func TestCineAsPNG(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.png", "b.APNG"} {
		path, steps := filepath.Join(dir, name), 0
		for range 2 { // the second takes the place of the first
			if err := threeGreys().Write(t.Context(), path, false, func(done, total int64) { steps++ }); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte("acTL")) || bytes.Count(data, []byte("fcTL")) != 3 || steps != 6 {
			t.Errorf("%s: %d pictures, %d steps, %v", name, bytes.Count(data, []byte("fcTL")), steps, err)
		}
		if m, err := png.Decode(bytes.NewReader(data)); err != nil || m.Bounds() != image.Rect(0, 0, 33, 21) || m.At(3, 3) != color.Color(color.Gray{0}) {
			t.Errorf("%s, the first picture: %v, %v", name, m, err)
		}
	}
	foreign := filepath.Join(dir, "mine.png")
	if err := os.WriteFile(foreign, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := threeGreys().Write(t.Context(), foreign, false, nil); !errors.Is(err, files.ErrForeignTarget) {
		t.Errorf("a foreign file gave %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := threeGreys().Write(ctx, filepath.Join(dir, "c.png"), false, nil); !errors.Is(err, context.Canceled) || files.Exists(filepath.Join(dir, "c.png")) {
		t.Errorf("cancelled: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("%d entries are left", len(entries))
	}
}

// fakeFFmpeg puts a program on the PATH that writes what it is called with and the number of bytes that it gets into the
// file of the video, or ends with an error.
func fakeFFmpeg(t *testing.T, fails bool) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nfor out; do :; done\n{ echo \"$@\"; wc -c; } >\"$out\"\n"
	if fails {
		script = "#!/bin/sh\necho \"[x] first\" >&2\necho \"Unknown encoder 'libx264'\" >&2\nexit 1\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// A video is made by ffmpeg of all pixels of all pictures, at the rate of the cine; its failure is told in its own words.
func TestCineAsVideo(t *testing.T) {
	fakeFFmpeg(t, false)
	path := filepath.Join(t.TempDir(), "a.mp4")
	for range 2 {
		if err := threeGreys().Write(t.Context(), path, false, nil); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{"gray", "33x21", "-framerate 10", report.CineMark, "description=W 400  L 40", "\n2079\n"} { // 3 x 33 x 21
		if !strings.Contains(text, want) {
			t.Errorf("ffmpeg was called without %q: %s", want, text)
		}
	}
	colours := threeGreys()
	colours.Draw = func(int) image.Image { return image.NewRGBA(image.Rect(0, 0, 4, 3)).SubImage(image.Rect(1, 1, 3, 3)) }
	if err := colours.Write(t.Context(), path, false, nil); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(path); err != nil || !strings.Contains(string(data), "\n48\n") || !strings.Contains(string(data), "rgba") { // 3 x 2 x 2 x 4
		t.Errorf("in colours: %s, %v", data, err)
	}
	fakeFFmpeg(t, true)
	broken := filepath.Join(t.TempDir(), "b.mp4")
	if err := threeGreys().Write(t.Context(), broken, false, nil); err == nil || !strings.Contains(err.Error(), "Unknown encoder 'libx264'") || files.Exists(broken) {
		t.Errorf("a video that fails: %v", err)
	}
}

// Without ffmpeg a video is refused before anything is drawn.
func TestVideoWithoutFFmpeg(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	path := filepath.Join(t.TempDir(), "a.mp4")
	c := threeGreys()
	c.Draw = func(int) image.Image { panic("it is drawn") }
	if err := c.Write(t.Context(), path, true, nil); err == nil || !strings.Contains(err.Error(), "ffmpeg") || output.CanWriteVideo() {
		t.Errorf("without ffmpeg: %v", err)
	}
	if output.CheckCine(filepath.Join(t.TempDir(), "a.png"), false) != nil {
		t.Error("an animated PNG takes ffmpeg")
	}
}

// The video of the real program has the pictures, where it is installed.
func TestVideoReadsBack(t *testing.T) {
	if !output.CanWriteVideo() {
		t.Skip("ffmpeg is not installed")
	}
	path := filepath.Join(t.TempDir(), "a.mp4")
	for range 2 { // its mark is found
		if err := threeGreys().Write(t.Context(), path, false, nil); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-").Output()
	if err != nil || len(raw) != 3*34*22 {
		t.Fatalf("read back %d bytes, want three pictures of 34 x 22; %v", len(raw), err)
	}
	for i := range 3 {
		if got := int(raw[i*34*22+10*34+10]); got < 100*i-2 || got > 100*i+2 {
			t.Errorf("picture %d is %d, want %d", i, got, 100*i)
		}
	}
}
