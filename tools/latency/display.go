package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"image"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// display is a virtual display whose picture this program reads in the memory of the server.
type display struct {
	dir    string
	number string // ":7"
	server *exec.Cmd
	frame  frame
	memory io.Closer      // of the picture
	input  io.WriteCloser // of a running xdotool
	typist *exec.Cmd
}

// frame is the picture of a display, in a file that its server maps into memory.
type frame struct {
	dump          io.ReaderAt
	begin         int64 // of the pixels of 4 bytes each
	width, height int
	stride        int // bytes of a line
}

// Offsets of the header of an X window dump, in bytes; its numbers have the most significant byte first.
const (
	xwdWidth, xwdHeight, xwdBits, xwdStride, xwdColours = 16, 20, 44, 48, 76
	xwdHeader                                           = 100
	xwdColour                                           = 12 // bytes of an entry of the colour map
)

// frameOf returns the picture of an X window dump of a size in bytes.
func frameOf(dump io.ReaderAt, size int64) (frame, error) {
	header := make([]byte, xwdHeader)
	if _, err := dump.ReadAt(header, 0); err != nil {
		return frame{}, fmt.Errorf("the server keeps no picture: %w", err)
	}
	number := func(at int) int { return int(binary.BigEndian.Uint32(header[at:])) }
	f := frame{dump: dump, width: number(xwdWidth), height: number(xwdHeight), stride: number(xwdStride)}
	f.begin = int64(number(0)) + int64(number(xwdColours))*xwdColour
	if number(xwdBits) != 32 || f.stride < 4*f.width || f.height < 1 || f.begin+int64(f.stride)*int64(f.height) > size {
		return frame{}, fmt.Errorf("the server keeps a picture of %d x %d with %d bits a pixel, which is not read", f.width, f.height, number(xwdBits))
	}
	return f, nil
}

var seed = maphash.MakeSeed()

// between is the distance of the lines that hash reads. Reading every line a thousand times a second takes a quarter of a core
// from the workbench.
const between = 16

// hash returns a hash of some lines of a part of the picture, to detect a change.
func (f frame) hash(part image.Rectangle) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	line := make([]byte, 4*part.Dx())
	for y := part.Min.Y; y < part.Max.Y; y += between {
		_, _ = f.dump.ReadAt(line, f.begin+int64(y*f.stride+4*part.Min.X)) // frameOf has seen that it is there
		_, _ = h.Write(line)                                               // never fails
	}
	return h.Sum64()
}

// startDisplay starts a server with a screen of a size. Close ends it.
func startDisplay(size image.Point) (*display, error) {
	dir, err := os.MkdirTemp("", "quell-latency-")
	if err != nil {
		return nil, err
	}
	d := &display{dir: dir}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.server = exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", size.X, size.Y), "-nolisten", "tcp", "-fbdir", dir) //nolint:gosec // numbers alone
	d.server.ExtraFiles = []*os.File{w}
	err = d.server.Start()
	_ = w.Close() // the server has its own
	if err != nil {
		d.server = nil
		return nil, errors.Join(fmt.Errorf("start Xvfb, which scripts/setup.sh screen installs: %w", err), d.Close())
	}
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the number of the display of Xvfb: %w", err), d.Close())
	}
	d.number = ":" + strings.TrimSpace(number)
	if err := d.see(filepath.Join(dir, "Xvfb_screen0")); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.typist = d.command("xdotool", "-")
	if d.input, err = d.typist.StdinPipe(); err == nil {
		err = d.typist.Start()
	}
	if err != nil {
		d.typist = nil
		return nil, errors.Join(fmt.Errorf("xdotool: %w; scripts/setup.sh screen installs it", err), d.Close())
	}
	return d, nil
}

// see opens the picture of the server.
func (d *display) see(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	d.memory = file
	info, err := file.Stat()
	if err != nil {
		return err
	}
	d.frame, err = frameOf(file, info.Size())
	return err
}

// command returns a command for the display.
func (d *display) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "DISPLAY="+d.number, "LIBGL_ALWAYS_SOFTWARE=1", "LC_ALL=en_US.UTF-8",
		"XDG_CONFIG_HOME="+filepath.Join(d.dir, "config"), "XDG_CACHE_HOME="+filepath.Join(d.dir, "cache"))
	return c
}

// do passes commands to xdotool, which runs each at once.
func (d *display) do(format string, values ...any) error {
	_, err := fmt.Fprintf(d.input, format+"\n", values...)
	return err
}

// settles waits until a part of the picture has not changed for a time, at most for limit.
func (d *display) settles(part image.Rectangle, still, limit time.Duration) {
	d.changes(part, still, still, limit)
}

// changes waits until a part of the picture changes, at most for patience, and then until it has not changed for a time. It
// returns when it changed first and last, zero times if it did not. limit bounds all of it.
func (d *display) changes(part image.Rectangle, patience, still, limit time.Duration) (first, last time.Time) {
	begun := time.Now()
	before, quiet, wait := d.frame.hash(part), begun, patience
	for time.Since(quiet) < wait && time.Since(begun) < limit {
		if now := d.frame.hash(part); now != before {
			last = time.Now()
			before, quiet, wait = now, last, still
			if first.IsZero() {
				first = last
			}
		}
		time.Sleep(look)
	}
	return first, last
}

// look is how long the picture is not looked at between two looks.
const look = time.Millisecond

// Close ends the server and what runs on it.
func (d *display) Close() error {
	if d.typist != nil {
		_ = d.input.Close()
		_ = d.typist.Wait() // its last command may have had no window
	}
	if d.server != nil {
		_ = d.server.Process.Signal(os.Interrupt)
		_ = d.server.Wait() // it was interrupted
	}
	if d.memory != nil {
		_ = d.memory.Close() // it was read alone
	}
	return os.RemoveAll(d.dir)
}

// window returns the first window of the workbench, once it is there.
func (d *display) window() (string, error) {
	for range 300 {
		out, err := d.command("xdotool", "search", "--onlyvisible", "--name", "^Quell").Output()
		if id, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); err == nil && id != "" {
			if _, err := strconv.Atoi(id); err == nil {
				return id, nil
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	return "", errors.New("the workbench opens no window")
}
