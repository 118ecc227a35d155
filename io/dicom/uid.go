package dicom

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"runtime"

	"golang.org/x/sync/errgroup"

	"quell/series"
	"quell/volume"
)

// deriveUID makes a UID from a hash: "2.25." and the decimal of a UUID (PS3.5
// annex B.2) whose 122 free bits come from SHA-256 over the parts (RFC 9562
// version 8). The same parts give the same UID everywhere.
func deriveUID(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p))) // so that parts cannot run into each other
		h.Write(n[:])
		h.Write(p)
	}
	id := h.Sum(nil)[:16]
	id[6] = id[6]&0x0F | 0x80
	id[8] = id[8]&0x3F | 0x80
	return "2.25." + new(big.Int).SetBytes(id).String()
}

// sourceKey tells source slices from all others. Volumes of one series may have the
// same voxels, so those alone do not.
func sourceKey(sources []series.Source) []byte {
	var b []byte
	for _, s := range sources {
		b = fmt.Appendf(b, "%s#%d\n", s.UID, s.Frame)
	}
	return b
}

// studyOf makes a study for a series that is part of none, which no archive would
// take: the same for whatever is derived from it.
func studyOf(ctx context.Context, src *series.Series) (string, error) {
	of := []byte(src.UID)
	if len(of) == 0 {
		var err error
		if of, err = hashVoxels(ctx, src.Volume); err != nil {
			return "", err
		}
	}
	return deriveUID([]byte("study"), of), nil
}

// hashVoxels returns a SHA-256 over the volume's values, slice by slice in
// parallel, then over the slices' hashes.
func hashVoxels(ctx context.Context, v *volume.Volume) ([]byte, error) {
	sums := make([][sha256.Size]byte, v.Dims[2])
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for z := range sums {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			plane := v.Plane(z)
			b := make([]byte, 0, 4*len(plane))
			for _, x := range plane {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
			}
			sums[z] = sha256.Sum256(b)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, s := range sums {
		h.Write(s[:])
	}
	return h.Sum(nil), nil
}
