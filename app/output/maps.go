package output

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"quell/app/executor"
	"quell/app/job"
	"quell/app/judge"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/io/spool"
	"quell/volume"
)

// mapBytes is what the maps of a voxel take: two in files, and two that wait.
const mapBytes = 2*4 + 2*spool.VoxelBytes

// mapped are the parametric maps of a result. The methods of nil do nothing.
type mapped struct {
	volumes []*mappedVolume
	without []message.Message // why there is no map of the noise
}

// mappedVolume has the maps of a volume.
type mappedVolume struct {
	removed, sigma *mapValues // sigma is nil without a map
	removedText    string
	unit           string
}

// mapValues are the values of a map. They wait on the disk, as the UIDs of the images that they belong to follow from
// all of these.
type mapValues struct {
	voxels *spool.Voxels
	sum    hash.Hash
	masked bool
	square float64 // sum of squares of the values
	n      float64 // of them
}

// add takes the next slices.
func (v *mapValues) add(part *volume.Volume) error {
	for z := range part.Dims[2] {
		slice := judge.PlanesOf(part, z, z+1) // one alone is not kept in memory
		b, _ := volume.LittleEndian(slice.Data)
		v.sum.Write(b)
		for i, x := range slice.Data {
			if slice.Valid(i) {
				v.square += float64(x) * float64(x)
				v.n++
			} else {
				v.masked = true
				v.sum.Write([]byte{byte(i), byte(i >> 8), byte(i >> 16), byte(i >> 24)})
			}
		}
		if err := v.voxels.Add(slice); err != nil {
			return err
		}
	}
	return nil
}

// rms is the root of the mean square of the values; 1 if they are all 0.
func (v *mapValues) rms() float64 {
	if v.square == 0 {
		return 1
	}
	return math.Sqrt(v.square / v.n)
}

func newMapValues(dir string, grid volume.Geometry) *mapValues {
	return &mapValues{voxels: spool.New(dir, grid), sum: sha256.New()}
}

// slab takes the next slices of what was removed, and of the noise.
func (m *mapped) slab(ctx context.Context, s *executor.Slab, dir string) error {
	if m == nil {
		return nil
	}
	if s.First {
		v := &mappedVolume{
			removed: newMapValues(dir, s.Whole.Source.Volume.Geometry.Crop(s.Whole.Region)), removedText: removedText(s.Whole.Run), unit: s.Whole.Source.Volume.Unit,
		}
		m.volumes = append(m.volumes, v)
	}
	v := m.volumes[len(m.volumes)-1]
	removed, err := removedOf(s)
	if err == nil {
		err = v.removed.add(removed.result)
	}
	if err != nil {
		return err
	}
	sigma, why, err := noiseOf(ctx, s)
	switch {
	case err != nil:
		return err
	case sigma != nil:
		if v.sigma == nil {
			v.sigma = newMapValues(dir, v.removed.voxels.Grid())
		}
		return v.sigma.add(sigma)
	case s.First && !slices.ContainsFunc(m.without, why.Same):
		m.without = append(m.without, why)
	}
	return nil
}

// noiseOf returns the noise of every voxel of a slab: by the map that steered the filter, or else by one that is
// estimated, of the foreground. If the noise is unknown there is none, and why is a sentence.
func noiseOf(ctx context.Context, s *executor.Slab) (sigma *volume.Volume, why message.Message, err error) {
	r := s.Part.Run
	without := func(why message.Message) (*volume.Volume, message.Message, error) {
		return nil, message.New(message.OutputReduced, "No map of the noise is attached. %s", why), nil
	}
	switch {
	case !r.Maps.Unknown.IsZero():
		return without(r.Maps.Unknown)
	case r.Maps.Noise != nil && !r.Maps.Estimated:
		return r.Maps.Noise.Crop(r.Region), why, nil
	case !s.First || !s.Last:
		return without(message.Text("It is estimated on a whole volume, and this one was filtered slab by slab."))
	}
	found, err := judge.MapNoise(ctx, r.Source)
	switch {
	case ctx.Err() != nil:
		return nil, why, ctx.Err()
	case err != nil:
		return without(message.Of(err).Sentence())
	}
	if unknown := found.Sentence(); !unknown.IsZero() {
		return without(unknown)
	}
	return found.Values.Crop(r.Region), why, nil
}

// write writes the maps of all volumes: the series about has, by path(n), of the n-th map from 1.
func (m *mapped) write(ctx context.Context, about dicom.Written, path func(n int) string, now time.Time) (n int, err error) {
	if m == nil {
		return 0, nil
	}
	for k, v := range m.volumes {
		in := about.Volumes[k]
		one := dicom.Map{
			Unit: v.unit, Header: about.Header, Result: in.Result, Source: in.Source, Grid: in.Grid, Positions: in.Positions,
			Number: k + 1, Version: job.Version(), Now: now,
		}
		one.Quantity, one.Description, one.Window = dicom.Removed, v.removedText, volume.Window{Width: 8 * v.removed.rms()}
		n++
		if err := v.removed.write(ctx, one, path(n)); err != nil {
			return n, err
		}
		if v.sigma == nil {
			continue
		}
		one.Quantity, one.Description = dicom.Sigma, noiseMapText()
		one.Window = volume.Window{Center: v.sigma.rms(), Width: 2 * v.sigma.rms()}
		n++
		if err := v.sigma.write(ctx, one, path(n)); err != nil {
			return n, err
		}
	}
	return n, nil
}

// write writes a map of the values and reads it back.
func (v *mapValues) write(ctx context.Context, m dicom.Map, path string) error {
	m.Masked, m.Sum = v.masked, v.sum.Sum(nil)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	written := sha256.New()
	err = m.Write(io.MultiWriter(file, written), func(z int) ([]float32, []bool, error) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		part, err := v.voxels.Part(z, z+1)
		if err != nil {
			return nil, nil, err
		}
		return part.Data, part.Mask, nil
	})
	if err != nil {
		return err
	}
	read := sha256.New()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(read, file); err != nil {
		return err
	}
	if !bytes.Equal(read.Sum(nil), written.Sum(nil)) {
		return message.Errorf(message.OutputDiffers, "a parametric map was read back and differs from what was to be written; check the disk, or choose another place")
	}
	return errors.Join(file.Close(), v.voxels.Close())
}

// warnings are about omissions.
func (m *mapped) warnings() []message.Message {
	if m == nil {
		return nil
	}
	return m.without
}

// discard drops the values.
func (m *mapped) discard() {
	if m == nil {
		return
	}
	for _, v := range m.volumes {
		for _, values := range []*mapValues{v.removed, v.sigma} {
			if values != nil {
				_ = values.voxels.Close()
			}
		}
	}
	*m = mapped{}
}
