package derive

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"strconv"

	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

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
