package derive

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"quell/internal/parallel"
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

// uidLength is the length of the UIDs of series of several volumes: that of most hashes.
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
// that of the series, and so from all voxels: a file that another export shares with this one is
// another instance there, as an instance is in one series.
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
// the same for everything that is derived from it.
func studyOf(ctx context.Context, src *series.Series) (string, error) {
	of := []byte(src.UID)
	if len(of) == 0 {
		var err error
		if of, err = hashVoxels(ctx, src.Volume); err != nil {
			return "", err
		}
	}
	return part10.HashUID([]byte("study"), of), nil
}

// hashVoxels returns a SHA-256 over the volume's values, which must be finite, slice by slice in
// parallel, then over the slices' hashes. Values are looked at when they were hashed, part by part:
// the slower of both waits for the memory, and the other finds them in the cache.
func hashVoxels(ctx context.Context, v *volume.Volume) ([]byte, error) {
	const part = 1 << 14 // voxels
	sums := make([][sha256.Size]byte, v.Dims[2])
	err := parallel.For(ctx, len(sums), func(z int) error {
		h := sha256.New()
		for values := range slices.Chunk(v.Plane(z), part) {
			b, _ := volume.LittleEndian(values)
			h.Write(b)
			if !volume.Finite(values) {
				return fmt.Errorf("dicom: the voxels cannot be written: %w", v.ValidatePlane(z))
			}
		}
		h.Sum(sums[z][:0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, s := range sums {
		h.Write(s[:])
	}
	return h.Sum(nil), nil
}
