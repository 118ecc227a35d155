package tune

import (
	"math"
)

// The coarser a part of the residual, the more structure stands out of the noise in it:
// means over windows are as in noise only if the power of the residual at low
// frequencies is. The mean over all windows shows structure that is too faint to be
// found in any of them.

// Band is the part of a residual that means over windows show, against what they would
// show of the noise itself: its power up to the frequencies that such windows pass.
type Band struct {
	Scale float64 `json:"scale"` // standard deviation of the Gaussian window, in voxels
	Power float64 `json:"power"` // relative to the noise: above 1 there is structure
}

const (
	// wholeWindow is the share of the widest window that must count for its middle to
	// be one of the voxels that are looked at.
	wholeWindow = 0.95
	// fewestWindows is how many independent windows a figure rests on: its standard
	// deviation is then a quarter.
	fewestWindows = 32
)

// bandPower is the sums of squares of windowed means over the voxels of a slice that
// have a widest window that counts.
type bandPower struct {
	voxels  int
	squares [len(meanScales)]float64
}

// add adds the means at a scale.
func (p *bandPower) add(scale int, means, inner []float32) {
	voxels, sum := 0, 0.0
	for i, m := range means {
		if inner[i] > wholeWindow {
			voxels++
			sum += float64(m) * float64(m)
		}
	}
	p.voxels, p.squares[scale] = voxels, p.squares[scale]+sum
}

// inner writes the share of the widest window around every pixel that counts.
func (b *blurrer) inner(dst []float32, use []bool) {
	b.used = len(use) / b.nx
	for y := range b.used {
		row := b.row(y)
		clear(row)
		for x, u := range use[y*b.nx:][:len(row)] {
			if u {
				row[x] = 1
			}
		}
	}
	b.means(dst, meanScales[len(meanScales)-1])
}

// spectrum returns the bands of the residual, fine to coarse, if there are windows
// enough.
func (r residue) spectrum(slices []bandPower) (bands []Band) {
	var all bandPower
	for _, p := range slices {
		all.voxels += p.voxels
		for k, s := range p.squares {
			all.squares[k] += s
		}
	}
	for k, s := range meanScales {
		// Of white noise, means over windows d apart correlate by exp(-d^2 / 4 s^2).
		if float64(all.voxels) < fewestWindows*2*math.Pi*s*s {
			break
		}
		spread := r.spread(s)
		bands = append(bands, Band{s, all.squares[k] / float64(all.voxels) / (spread * spread)})
	}
	return bands
}
