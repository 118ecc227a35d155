package report

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
)

// CineMark is in the first MiB of every cine, by which it is known again.
const CineMark = "Quell, cine"

// APNG writes pictures of one size one after the other as an animated PNG, which repeats for ever. A program that knows none
// shows the first picture. Create it with NewAPNG.
//
// The form is that of PNG's third edition: acTL says how many pictures follow, each has an fcTL, and the data of all but
// the first lie in fdAT.
type APNG struct {
	w             io.Writer
	encoder       png.Encoder
	label         string
	frames, added int
	rate          uint16
	sequence      uint32 // of fcTL and fdAT together
	header        []byte // the IHDR of the first picture
	err           error
}

// NewAPNG returns a writer of so many pictures, rate of them in a second, with label as the description; "" for none.
func NewAPNG(w io.Writer, frames, rate int, label string) *APNG {
	return &APNG{w: w, encoder: png.Encoder{CompressionLevel: png.BestSpeed}, label: label, frames: frames, rate: uint16(rate)} // noise is hardly compressed by more work
}

// Add writes the next picture. All have the size and the colour model of the first: image.Gray, or image.RGBA without
// transparent pixels.
func (a *APNG) Add(m image.Image) error {
	if a.err == nil {
		a.err = a.add(m)
	}
	return a.err
}

func (a *APNG) add(m image.Image) error {
	var file bytes.Buffer
	if err := a.encoder.Encode(&file, m); err != nil {
		return err
	}
	rest := file.Bytes()[8:]
	for len(rest) > 0 {
		n := binary.BigEndian.Uint32(rest)
		kind, data := string(rest[4:8]), rest[8:8+n]
		rest = rest[12+n:]
		if err := a.chunk(kind, data); err != nil {
			return err
		}
	}
	a.added++
	return nil
}

// chunk writes a chunk of the next picture.
func (a *APNG) chunk(kind string, data []byte) error {
	switch kind {
	case "IHDR":
		if a.header == nil {
			a.header = bytes.Clone(data)
			return a.begin()
		}
		if !bytes.Equal(data, a.header) {
			return errors.New("the pictures of an animation differ in size or colours")
		}
		return a.control()
	case "IDAT":
		if a.added == 0 {
			return a.write(kind, string(data))
		}
		return a.write("fdAT", string(binary.BigEndian.AppendUint32(nil, a.next()))+string(data))
	case "IEND":
		return nil
	}
	return fmt.Errorf("a picture of an animation has a chunk %s", kind)
}

// begin writes what stands before the first picture.
func (a *APNG) begin() error {
	if _, err := io.WriteString(a.w, "\x89PNG\r\n\x1a\n"); err != nil {
		return err
	}
	counts := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(a.frames)), 0) // 0: for ever
	chunks := [][2]string{{"IHDR", string(a.header)}, {"tEXt", "Software\x00" + CineMark}, {"acTL", string(counts)}}
	if a.label != "" {
		chunks = append(chunks, [2]string{"iTXt", "Description\x00\x00\x00\x00\x00" + a.label})
	}
	for _, c := range chunks {
		if err := a.write(c[0], c[1]); err != nil {
			return err
		}
	}
	return a.control()
}

// control writes the fcTL of the next picture: it covers and replaces the whole canvas.
func (a *APNG) control() error {
	c := binary.BigEndian.AppendUint32(nil, a.next())
	c = append(c, a.header[:8]...)                             // width and height
	c = append(c, make([]byte, 8)...)                          // at the top left
	c = binary.BigEndian.AppendUint16(c, 1)                    // for 1/rate of a second
	c = append(binary.BigEndian.AppendUint16(c, a.rate), 0, 0) // stays, and is not blended
	return a.write("fcTL", string(c))
}

func (a *APNG) next() uint32 {
	a.sequence++
	return a.sequence - 1
}

func (a *APNG) write(kind, data string) error {
	_, err := a.w.Write(chunk(kind, data))
	return err
}

// Close ends the file; it does not close the writer. It is an error if not all pictures were added.
func (a *APNG) Close() error {
	if a.err == nil && a.added != a.frames {
		a.err = fmt.Errorf("an animation of %d pictures got %d", a.frames, a.added)
	}
	if a.err == nil {
		a.err = a.write("IEND", "")
	}
	return a.err
}
