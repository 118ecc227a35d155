package noise

import (
	"math"
	"slices"

	"quell/volume"
)

// Values of CT are Hounsfield units (HU), or in files without a unit often HU + 1000 or HU + 1024,
// so that air is 0 or 24. Everything that looks for tissue by its values asks Hounsfield for them.

// The values that water has in files of CT.
const (
	waterHU     = 0
	water1000   = 1000
	water1024   = 1024
	airOfWater  = -1000 // air, relative to water
	airShare    = 0.02  // more than this share of the voxels is air at -1000, in values that have no other unit
	airDistance = 100   // of values that are counted as that air
)

// Hounsfield returns the value that water has in a CT: 0 in Hounsfield units, 1000 or 1024 if these were
// stored with an offset. ok is false if the volume is no CT. Its unit and its modality, where the file or a
// person states them, decide; else the values do, see byValues.
func Hounsfield(v *volume.Volume) (water float64, ok bool) {
	switch {
	case v.Modality != "" && v.Modality != "CT":
		return 0, false
	case v.Unit == "HU":
		return waterHU, true
	case len(v.Data) == 0: // a header
		return waterHU, v.Modality == "CT"
	case v.Modality == "CT":
		return stated(v), true
	case v.Unit != "":
		return 0, false
	case airAt(v, airOfWater) > airShare:
		return waterHU, true
	}
	return byValues(v)
}

// airAt returns the share of the voxels with a value near that of air.
func airAt(v *volume.Volume, air float32) float64 {
	n, step := 0, max(1, len(v.Data)/100000)
	for i := 0; i < len(v.Data); i += step {
		if v.Valid(i) && v.Data[i] > air-airDistance && v.Data[i] < air+airDistance {
			n++
		}
	}
	return float64(n*step) / float64(len(v.Data))
}

// stated returns the value of water in values that are known to be of a CT: the one that has most voxels of
// tissue about it. Without an offset soft tissue lies where the air of the others does, which -1000 tells apart.
func stated(v *volume.Volume) float64 {
	var s solids
	s.read(v)
	even, all := s.even(water1000)
	if airAt(v, airOfWater) > airShare || max(tissueShare(even, water1000), tissueShare(all, water1000)) < statedTissue {
		return waterHU
	}
	if s.air(water1024) > s.air(water1000) {
		return water1024
	}
	return water1000
}

// What the blocks of a CT show. Of the head and body CTs of the shared data with either offset, clipped at 0 and
// with up to 40 HU of noise added, even blocks are fat or soft tissue in 0.64 to 1.00, and a value between lung and
// fat, which edges alone have, in 0.06 to 0.09 of the solid blocks. MR series and templates, scaled so that any of
// their tissue lies there, with and without noise, have at most 0.58 of the first with at least 0.17 of the other.
const (
	blockSide    = 8
	blockSlices  = 16  // that are looked at, at most
	airNear      = 12  // how far the mean of a block of air may be from 0 or 24
	airNoise     = 120 // the largest standard deviation of one
	leastAir     = 0.002
	leastSolid   = 0.02
	solidAbove   = 150 // of air
	leastTissue  = 0.61
	statedTissue = 0.5 // if the values are known to be of a CT
	mostBetween  = 0.13
	rayleighNear = 1.5 // mean over standard deviation of air at 0: Rician noise has 1.91
)

// byValues recognises HU + 1000 and HU + 1024 by their values: there is air with noise at 0 or 24, and
// nearly all that is even and no air is fat or soft tissue. A masked background holds no noise, and the
// background of a magnitude image is never about 0.
func byValues(v *volume.Volume) (water float64, ok bool) {
	var s solids
	s.read(v)
	water = water1000
	if s.air(water1024) > s.air(water1000) {
		water = water1024
	}
	return water, s.air(water) >= leastAir && s.symmetric(water) && s.tissue(water)
}

// solids are the blocks of a volume: squares of some of its slices that hold no padding.
type solids struct{ all []block }

// block is a square of a slice.
type block struct{ mean, sd float64 }

func (s *solids) read(v *volume.Volume) {
	for z := 0; z < v.Dims[2]; z += (v.Dims[2] + blockSlices - 1) / blockSlices {
		plane, mask := v.Plane(z), v.PlaneMask(z)
		for y := 0; y+blockSide <= v.Dims[1]; y += blockSide {
			for x := 0; x+blockSide <= v.Dims[0]; x += blockSide {
				n, sum, squares := 0.0, 0.0, 0.0
				for j := range blockSide {
					from := (y+j)*v.Dims[0] + x
					for i, a := range plane[from : from+blockSide] {
						if mask == nil || mask[from+i] {
							n, sum, squares = n+1, sum+float64(a), squares+float64(a)*float64(a)
						}
					}
				}
				if n == blockSide*blockSide {
					mean := sum / n
					s.all = append(s.all, block{mean, math.Sqrt(max(squares/n-mean*mean, 0))})
				}
			}
		}
	}
}

// isAir says whether a block is air with noise.
func (b block) isAir(water float64) bool {
	return math.Abs(b.mean-water-airOfWater) < airNear && b.sd > 0 && b.sd < airNoise
}

// air returns the share of the blocks that are air with noise.
func (s solids) air(water float64) float64 {
	n := 0
	for _, b := range s.all {
		if b.isAir(water) {
			n++
		}
	}
	return float64(n) / math.Max(float64(len(s.all)), 1)
}

// symmetric says whether air at 0 has values about 0, clipped or not, and not the mean of a magnitude.
func (s solids) symmetric(water float64) bool {
	if water != water1000 {
		return true
	}
	mean, sd, n := 0.0, 0.0, 0.0
	for _, b := range s.all {
		if b.isAir(water) {
			mean, sd, n = mean+b.mean, sd+b.sd, n+1
		}
	}
	return n > 0 && mean <= rayleighNear*sd
}

// even returns the blocks of tissue that are about as even as a fifth of them is, and how many there are in all.
func (s solids) even(water float64) (even, all []block) {
	var sds []float64
	for _, b := range s.all {
		if b.mean > water+airOfWater+solidAbove {
			all, sds = append(all, b), append(sds, b.sd)
		}
	}
	most := 1.5 * quantile(sds, 0.2)
	return slices.DeleteFunc(slices.Clone(all), func(b block) bool { return b.sd > most }), all
}

// tissueShare returns the share of blocks that are fat or soft tissue, about as wide as a person uses the words.
func tissueShare(of []block, water float64) float64 {
	n := 0
	for _, b := range of {
		if hu := b.mean - water; hu > -130 && hu < -60 || hu > -20 && hu < 110 {
			n++
		}
	}
	return float64(n) / math.Max(float64(len(of)), 1)
}

// tissue says whether nearly all even blocks are fat or soft tissue, and few lie between lung and fat.
func (s solids) tissue(water float64) bool {
	even, all := s.even(water) // strong noise is least at the rim, where the even blocks lie then
	between := 0
	for _, b := range all {
		if hu := b.mean - water; hu > -700 && hu < -200 {
			between++
		}
	}
	n := float64(len(all))
	return n >= leastSolid*float64(len(s.all)) && n > 0 && float64(between) <= mostBetween*n && max(tissueShare(even, water), tissueShare(all, water)) >= leastTissue
}
