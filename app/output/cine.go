package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"quell/app/files"
	"quell/internal/message"
	"quell/report"
	"quell/series"
)

// Cine is pictures of all slices, one after the other.
type Cine struct {
	Frames int
	Rate   int    // pictures per second
	Label  string // the description of the file; "" for none
	// Draw returns a picture: an image.Gray or an opaque image.RGBA, all of one size. It may return the memory of the last.
	Draw func(i int) image.Image
}

// CanWriteVideo says whether there is a program that makes videos: ffmpeg, on the PATH.
func CanWriteVideo() bool {
	_, err := exec.LookPath("ffmpeg")
	return err == nil
}

// CheckCine is files.Check for a cine; a video is refused where no program makes one.
func CheckCine(path string, overwrite bool, of ...*series.Series) error {
	if isVideo(path) && !CanWriteVideo() {
		return message.Errorf(message.OutputUnwritable, "a video is made by the program ffmpeg, which is not on the PATH; install it, or give a name that ends in .png")
	}
	return files.Check(files.CineOutput, path, overwrite, of...)
}

func isVideo(path string) bool { return strings.EqualFold(filepath.Ext(path), ".mp4") }

// Write writes the cine as a video if the name ends in .mp4, by ffmpeg, and else as an animated PNG, whole or not at all. An
// earlier cine of Quell is replaced, any other file only with overwrite; see files.Check for of. progress may be nil.
func (c Cine) Write(ctx context.Context, path string, overwrite bool, progress func(done, total int64), of ...*series.Series) error {
	if err := CheckCine(path, overwrite, of...); err != nil {
		return err
	}
	each := func(add func(image.Image) error) error {
		for i := range c.Frames {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := add(c.Draw(i)); err != nil {
				return err
			}
			if progress != nil {
				progress(int64(i+1), int64(c.Frames))
			}
		}
		return nil
	}
	if isVideo(path) {
		return c.video(ctx, each, func(made io.Reader) error {
			return files.WriteStream(files.CineOutput, path, overwrite, func(w io.Writer) error {
				_, err := io.Copy(w, made)
				return err
			}, of...)
		})
	}
	return files.WriteStream(files.CineOutput, path, overwrite, func(w io.Writer) error {
		a := report.NewAPNG(w, c.Frames, c.Rate, c.Label)
		if err := each(a.Add); err != nil {
			return err
		}
		return a.Close()
	}, of...)
}

// video has ffmpeg make a video in a temporary folder, as the form takes a file in which it can go back, and passes it to write.
// It is H.264 of little loss, as compression removes noise too.
func (c Cine) video(ctx context.Context, each func(func(image.Image) error) error, write func(io.Reader) error) error {
	dir, err := os.MkdirTemp("", "quell-cine-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "cine.mp4")
	var f *encoder
	err = each(func(m image.Image) (err error) {
		if f == nil {
			if f, err = startEncoder(ctx, m, c.Rate, c.Label, path); err != nil {
				return err
			}
		}
		return f.add(m)
	})
	if f == nil {
		return err
	}
	if err = f.end(err); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return write(file)
}

// encoder is an ffmpeg at work.
type encoder struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	complain bytes.Buffer
	size     image.Point
	grey     bool
}

func startEncoder(ctx context.Context, m image.Image, rate int, label, path string) (*encoder, error) {
	e := &encoder{size: m.Bounds().Size()}
	_, e.grey = m.(*image.Gray)
	form := "rgba"
	if e.grey {
		form = "gray"
	}
	e.cmd = exec.CommandContext(ctx, "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin",
		"-f", "rawvideo", "-pixel_format", form, "-video_size", fmt.Sprintf("%dx%d", e.size.X, e.size.Y), "-framerate", strconv.Itoa(rate), "-i", "pipe:0",
		"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "12", "-pix_fmt", "yuv420p", "-movflags", "+faststart",
		"-metadata", "comment="+report.CineMark, "-metadata", "description="+label, "-y", path)
	e.cmd.Stderr = &e.complain
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err = e.cmd.Start(); err != nil {
		return nil, err
	}
	return e, nil
}

// add passes the pixels of a picture on.
func (e *encoder) add(m image.Image) error {
	var pixels []byte
	var stride, width int
	switch m := m.(type) {
	case *image.Gray:
		pixels, stride, width = m.Pix, m.Stride, e.size.X
	case *image.RGBA:
		pixels, stride, width = m.Pix, m.Stride, 4*e.size.X
	}
	if pixels == nil || m.Bounds().Size() != e.size {
		return message.Errorf(message.OutputUnwritable, "the pictures of a video differ in size or form")
	}
	for y := range e.size.Y {
		if _, err := e.in.Write(pixels[y*stride:][:width]); err != nil {
			return err
		}
	}
	return nil
}

// end waits for the program; failed is why it got no more pictures. What it says itself comes before a broken pipe.
func (e *encoder) end(failed error) error {
	_ = e.in.Close()
	err := e.cmd.Wait()
	if said := strings.TrimSpace(e.complain.String()); err != nil && said != "" {
		lines := strings.Split(said, "\n")
		return message.Errorf(message.OutputUnwritable, "ffmpeg cannot make the video (%s)", lines[len(lines)-1])
	}
	return errors.Join(failed, err)
}
