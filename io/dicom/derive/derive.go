package derive

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"strconv"
	"time"
	"unicode/utf16"

	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/dicom/part10/charset"
	"quell/io/dicom/pixel"
	"quell/series"
	"quell/volume"
)

// Derived describes how a derived series was made.
type Derived struct {
	// Recipe is the recipe's JSON: it enters the UIDs and a private element.
	Recipe []byte
	// Description is the derivation in words, for DerivationDescription (at most
	// 1024 characters are kept).
	Description string
	// Suffix is appended to the source's SeriesDescription.
	Suffix string
	// Volumes is how many volumes the series has; 0 counts as 1.
	Volumes int
	// Place is the position of the volume in its 4-D series, Step the time in seconds from one
	// volume to the next, and Gradient the diffusion weighting, nil for none, as in
	// series.Group. They matter for volumes without a DICOM source; others have the attributes
	// of that.
	Place    series.Place
	Step     float64
	Gradient *series.Gradient
	// Version is Quell's version.
	Version string
	// Now dates the new objects.
	Now time.Time
	// Code names the derivation; its zero value means Smoothing.
	Code part10.Code
	// Compress is the encoding of pixels; zero is uncompressed. Big endian files and
	// pixels of 32 bits stay uncompressed, with a warning in the report; files in
	// implicit VR become explicit.
	Compress pixel.Compression
	// Deidentify removes the patient's identity from the attributes by the basic
	// profile of PS3.15 annex E, see package deid. Dates are dummies then, Now among
	// them.
	Deidentify bool
	// Secret keys the pseudonyms of a de-identified series: the same secret gives the
	// same, so that two exports of one patient belong together and an export made again
	// replaces the first. Anyone holding the secret can re-identify patients.
	Secret []byte
}

// Smoothing is the derivation of a noise filter (PS3.16 CID 7203).
var Smoothing = part10.Code{Value: "113087", Scheme: "DCM", Meaning: "Smoothing"}

var (
	// sourceForProcessing is why a derived image refers to its source (CID 7202).
	sourceForProcessing = part10.Code{Value: "121322", Scheme: "DCM", Meaning: "Source image for image processing operation"}
	// processingEquipment is what Quell contributed as (CID 7005).
	processingEquipment = part10.Code{Value: "109102", Scheme: "DCM", Meaning: "Processing Equipment"}
)

// code returns the derivation's code.
func (d *Derived) code() part10.Code {
	if d.Code == (part10.Code{}) {
		return Smoothing
	}
	return d.Code
}

// product is the manufacturer of objects that Quell makes.
const product = "Quell"

// The recipe is kept in a private block (PS3.5 section 7.8.1). Group 1971 is odd, below
// the pixels, and used by no known scanner maker; the creator's name identifies the block
// even if it is used.
const (
	recipeGroup   = 0x1971
	recipeCreator = "QUELL"
	recipeElement = 0x01 // UT: the recipe's JSON
)

// recipeBlock returns the private creator and the recipe, in the block that Quell already
// has in the source, or in the first block without a creator and without elements.
func (s *image) recipeBlock() []part10.Edit {
	block := -1
	taken := map[uint16]bool{}
	for _, e := range s.File.Elements {
		switch n := e.Tag.Element(); {
		case e.Tag.Group() != recipeGroup:
		case n > 0xFF:
			taken[n>>8] = true
		case n >= 0x10:
			taken[n] = true
			if string(s.Text(e.Tag)) == recipeCreator {
				block = int(n)
			}
		}
	}
	for n := uint16(0x10); block < 0 && n <= 0xFF; n++ {
		if !taken[n] {
			block = int(n)
		}
	}
	if block < 0 {
		return nil
	}
	creator := part10.Tag(recipeGroup<<16 | block)
	recipe := part10.Tag(recipeGroup<<16 | block<<8 | recipeElement)
	return []part10.Edit{
		part10.Set(s.Encoding, creator, "LO", []byte(recipeCreator)),
		part10.Set(s.Encoding, recipe, "UT", asciiJSON(s.Recipe)),
	}
}

// asciiJSON escapes characters beyond ASCII, so that the text is the same in every
// character set.
func asciiJSON(b []byte) []byte {
	if charset.IsASCII(b) {
		return b
	}
	out := make([]byte, 0, len(b)+16)
	for _, r := range string(b) {
		if r < 0x80 {
			out = append(out, byte(r))
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, u)
		}
	}
	return out
}

// sourceKey identifies source slices. The voxels do not: volumes of one series may have the
// same.
func sourceKey(sources []series.Source) []byte {
	var b []byte
	for _, s := range sources {
		b = fmt.Appendf(b, "%s#%d\n", s.UID, s.Frame)
	}
	return b
}

// encodingParts appends a transfer syntax to the parts of a UID, so that the same
// image in another encoding is another instance. Explicit little endian, the plain
// one, adds nothing.
func encodingParts(syntaxUID string, parts ...[]byte) [][]byte {
	if syntaxUID == part10.UIDExplicitLE {
		return parts
	}
	return append(parts, []byte(syntaxUID))
}

// uidLength is the length of the UIDs of series of several volumes: the length of most
// hashes.
const uidLength = 44

// uidOfLength returns what own makes of a hash of parts, of uidLength: files that state one such
// UID can be made to state another.
func uidOfLength(parts [][]byte, own func(hash string) string) string {
	for {
		if uid := own(part10.HashUID(parts...)); len(uid) == uidLength {
			return uid
		}
		parts = append(parts, []byte("another"))
	}
}

// InstanceUID returns the UID of the k-th file of a series of several volumes. It follows from
// the UID of the series, and so from all voxels: a file that another export shares with this one
// is another instance there, as an instance is in one series.
func InstanceUID(seriesUID string, k int) string {
	return uidOfLength([][]byte{[]byte("instance"), []byte(seriesUID), []byte(strconv.Itoa(k))}, func(uid string) string { return uid })
}

// seriesSyntax returns the transfer syntax in which the first file of a series is
// written. Of its source only the header is read.
func (d *Derived) seriesSyntax(ctx context.Context, src *series.Series) string {
	in, err := instance.Read(ctx, src.Sources[0].FS, src.Sources[0].Name)
	if err != nil || !in.Usable() {
		return part10.UIDExplicitLE // the error is returned when the file is made
	}
	uid := in.Syntax.UID
	if uid != part10.UIDExplicitBE && d.Compress.Fits(part10.ExplicitLE, &in.Slices[0].Format) {
		return d.Compress.SyntaxUID()
	}
	if uid == part10.UIDExplicitBE || uid == part10.UIDImplicitLE {
		return uid
	}
	return part10.UIDExplicitLE
}

// studyOf returns a Study Instance UID for a series without one, which archives reject:
// the same for everything that is derived from it. Of a series without a UID it follows from the voxels,
// which read reads again if they are not in memory.
func studyOf(ctx context.Context, src *series.Series, read func() (series.Slices, error)) (string, error) {
	of := []byte(src.UID)
	if len(of) == 0 {
		sum := sha256.New()
		if err := hashSource(ctx, sum, src, read); err != nil {
			return "", err
		}
		of = sum.Sum(nil)
	}
	return part10.HashUID([]byte("study"), of), nil
}

func hashSource(ctx context.Context, sum hash.Hash, src *series.Series, read func() (series.Slices, error)) error {
	if src.Volume.Data != nil {
		return hashVoxels(ctx, sum, src.Volume)
	}
	r, err := read()
	if err != nil {
		return err
	}
	defer r.Close()
	g := r.Geometry()
	slice := volume.New(g.Crop(volume.Slices(g, 0, 1)))
	for range g.Dims[2] {
		if _, err := r.Read(ctx, slice.Data, nil); err != nil {
			return err
		}
		if err := hashVoxels(ctx, sum, slice); err != nil {
			return err
		}
	}
	return nil
}
