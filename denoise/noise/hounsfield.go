package noise

import (
	"math"
	"slices"
	"sort"

	"quell/volume"
)

// Values of CT are Hounsfield units (HU), or in files without a unit HU + 1000, HU + 1024 or near, so that air is 0 to 100.
// Everything that looks for tissue by its values asks Hounsfield for them.

// The values that water has in files of CT.
const (
	waterHU     = 0
	water1000   = 1000
	water1024   = 1024
	airOfWater  = -1000 // air, relative to water
	airShare    = 0.02  // more than this share of the voxels is air at -1000, in values that have no other unit
	airDistance = 100   // of values that are counted as that air
)

// Hounsfield returns the value that water has in a CT: 0 in Hounsfield units, 1000, 1024 or near if these were
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
	case v.Modality != "CT" && v.Unit != "":
		return 0, false
	}
	var s solids
	s.read(v)
	if water, ok = s.byValues(); ok { // before padding is taken for air
		return water, true
	}
	even, all := s.even(water, solidAbove)
	switch air := airInHU(v) > airShare; {
	case v.Modality == "CT" && !air && max(tissueShare(even, water), tissueShare(all, water)) >= statedTissue:
		return water, true // soft tissue in HU lies where the air of the others does
	case v.Modality == "CT" || air:
		return waterHU, true
	}
	return 0, false
}

// airInHU returns the share of the voxels with a value near -1000.
func airInHU(v *volume.Volume) float64 {
	n, step := 0, max(1, len(v.Data)/100000)
	for i := 0; i < len(v.Data); i += step {
		if v.Valid(i) && v.Data[i] > airOfWater-airDistance && v.Data[i] < airOfWater+airDistance {
			n++
		}
	}
	return float64(n*step) / float64(len(v.Data))
}

// What the blocks of a CT show. Of the head and body CTs of the shared data with either offset, clipped at 0 and
// with up to 40 HU of noise added, even blocks are fat or soft tissue in 0.64 to 1.00, and a value between lung and
// fat, which edges alone have, in 0.06 to 0.09 of the solid blocks. MR series and templates, scaled so that any of
// their tissue lies there, with and without noise, have at most 0.58 of the first with at least 0.17 of the other.
const (
	blockSide    = 8
	blockSlices  = 16  // that are looked at, at most
	fineSlice    = 256 // pixels along x and y up to which all blocks of a slice are
	airNear      = 12  // how far the mean of a block of air may be from that of most
	airNoise     = 120 // the largest standard deviation of one
	leastAir     = 0.002
	leastSolid   = 0.02
	solidAbove   = 150 // of air
	leastTissue  = 0.61
	statedTissue = 0.5 // if the values are known to be of a CT
	mostBetween  = 0.13
	leastLung    = 0.24 // of lung over the solid blocks if there are lungs: chests have 0.44 and more, MR 0.18 at most
	mostLung     = 1.5
	mostVessels  = 0.6  // of what lies between lung and fat over lung: a chest has 0.45, MR that is as bright as one 0.68 and more
	aboveLung    = 300  // of air, where lungs end
	lowestAir    = -100 // of the means of air that are looked at
	highestAir   = 200
	chiFar       = 3    // mean over standard deviation of air elsewhere, at least, or
	clipped      = 0.06 // of its values are at their least, or
	rayleighSkew = 0.3  // its skewness, at most: of the magnitude of one coil it is 0.63, of two 0.41
	rayleighNear = 1.5  // mean over standard deviation of air at 0: Rician noise has 1.91
)

// byValues recognises HU with an offset by their values: there is air with noise at 0, 24 or near, and nearly all that is even
// and no air is fat or soft tissue. A masked background holds no noise, and the background of a magnitude image is not
// symmetric.
func (s solids) byValues() (water float64, ok bool) {
	water = s.water()
	return water, s.air(water) >= leastAir && s.symmetric(water) && s.tissue(water)
}

// water returns the value of water by that of most air: HU + 1000 or HU + 1024 if it is theirs.
func (s solids) water() float64 {
	var medians []float64
	for _, b := range s.all {
		if b.lowest > 0 {
			medians = append(medians, b.median)
		}
	}
	slices.Sort(medians)
	air, most := 0.0, 0
	for from, to := 0, 0; to < len(medians); to++ {
		for medians[to]-medians[from] > 2*airNear {
			from++
		}
		if enough := leastAir * float64(len(s.all)); medians[to] > air+4*airNear && float64(most) > enough && most > (to-from)/20 {
			break // lung
		}
		if to-from >= most {
			air, most = medians[(from+to)/2], to-from+1
		}
	}
	for _, usual := range []float64{water1000, water1024} {
		if math.Abs(air-airOfWater-usual) < airNear {
			return usual
		}
	}
	return air - airOfWater
}

// solids are the blocks of a volume: squares of some of its slices that hold no padding.
type solids struct {
	all    []block
	values [blockSide * blockSide]float64
}

// block is a square of a slice.
type block struct {
	mean, sd float64
	// Of blocks that may be air. The median, other than the mean, is not moved by values that are clipped at 0.
	median float64
	skew   float64
	lowest float64 // share of the values that are the least of them
}

// ofAir sets what is known of blocks that may be air.
func (b *block) ofAir(values []float64) {
	if b.sd == 0 || b.sd >= airNoise || b.mean <= lowestAir || b.mean >= highestAir {
		return
	}
	for _, x := range values {
		z := (x - b.mean) / b.sd
		b.skew += z * z * z / float64(len(values))
	}
	slices.Sort(values)
	b.median = (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	b.lowest = float64(sort.Search(len(values), func(i int) bool { return values[i] > values[0] })) / float64(len(values))
}

func (s *solids) read(v *volume.Volume) {
	step := blockSide * max(min(v.Dims[0], v.Dims[1])/fineSlice, 1)
	for z := 0; z < v.Dims[2]; z += (v.Dims[2] + blockSlices - 1) / blockSlices {
		plane, mask := v.Plane(z), v.PlaneMask(z)
		for y := 0; y+blockSide <= v.Dims[1]; y += step {
			for x := 0; x+blockSide <= v.Dims[0]; x += step {
				values := s.values[:0]
				sum, squares := 0.0, 0.0
				for j := range blockSide {
					from := (y+j)*v.Dims[0] + x
					for i, a := range plane[from : from+blockSide] {
						if mask == nil || mask[from+i] {
							values = append(values, float64(a))
							sum, squares = sum+float64(a), squares+float64(a)*float64(a)
						}
					}
				}
				if n := float64(len(values)); n == blockSide*blockSide {
					mean := sum / n
					b := block{mean: mean, sd: math.Sqrt(max(squares/n-mean*mean, 0))}
					b.ofAir(values)
					s.all = append(s.all, b)
				}
			}
		}
	}
}

// isAir says whether a block is air with noise.
func (b block) isAir(water float64) bool {
	return b.lowest > 0 && math.Abs(b.median-water-airOfWater) < airNear
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

// symmetric says whether air has values about its own, clipped at 0 or not, and not the mean of a magnitude.
func (s solids) symmetric(water float64) bool {
	if water == water1024 {
		return true
	}
	mean, sd, lowest := 0.0, 0.0, 0.0
	var skews []float64
	for _, b := range s.all {
		if b.isAir(water) {
			mean, sd, lowest = mean+b.mean, sd+b.sd, lowest+b.lowest
			skews = append(skews, b.skew)
		}
	}
	n := float64(len(skews))
	return n > 0 && (mean <= rayleighNear*sd || water != water1000 && (mean >= chiFar*sd || lowest > clipped*n || quantile(skews, 0.5) < rayleighSkew))
}

// even returns the blocks of tissue, above air by so much, that are about as even as a fifth of them is, and how many there are in all.
func (s solids) even(water, above float64) (even, all []block) {
	var sds []float64
	for _, b := range s.all {
		if b.mean > water+airOfWater+above {
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

// tissue says whether nearly all even blocks are fat or soft tissue, and few lie between lung and fat, as vessels do in lungs.
func (s solids) tissue(water float64) bool {
	even, all := s.even(water, solidAbove) // strong noise is least at the rim, where the even blocks lie then
	between, lung := 0, 0
	for _, b := range s.all {
		switch hu := b.mean - water; {
		case hu > -950 && hu <= -700:
			lung++
		case hu > -700 && hu < -200:
			between++
		}
	}
	n := float64(len(all))
	least := leastSolid * float64(len(s.all))
	if float64(lung) > leastLung*n && float64(lung) < mostLung*n && float64(between) < mostVessels*float64(lung) {
		even, all = s.even(water, aboveLung)
		return float64(len(all)) >= least && tissueShare(even, water) >= leastTissue
	}
	return n >= least && n > 0 && float64(between) <= mostBetween*n && max(tissueShare(even, water), tissueShare(all, water)) >= leastTissue
}
