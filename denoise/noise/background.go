package noise

import (
	"context"
	"math"
	"runtime"
	"slices"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// Outside of the object the magnitude of complex noise has the Rayleigh distribution, whatever filter coloured it:
// half its mean square is sigma^2, and its squares have the correlation rho^2. That holds for the object as well if
// the noise is the same everywhere. So the background must read the same on all sides and have that
// distribution, and the homogeneous windows of the object must hold that noise.

// The limits.
const (
	tileSide      = 16    // pixels
	mostTiled     = 32    // slices that are read
	fewTiles      = 40    // tiles of the background below which there is no figure
	fewInQuarter  = 5     // the same in a quarter of the slices, for three quarters at least
	tileBand      = 0.3   // by which the root mean square of a tile may differ from what is usual
	sidesDiffer   = 0.08  // by which that of a quarter may, beyond chance
	rayleighShape = 0.02  // by which quantiles may, of the root mean square
	mostZeros     = 0.02  // of the values: masks and corrections of the scanner leave more
	mostSamples   = 5     // voxels that an independent sample of the noise may cover
	leastShare    = 0.003 // of the range of the values
	weakerObject  = 0.75  // of sigma, which half of the windows of the object show at least: below, its noise is weaker
	strongObject  = 1.18  // the same, which they show without anatomy: above, it is stronger
	surelyShared  = 3     // standard errors of a correlation of magnitudes from which on it counts
)

// tile is a square of tileSide pixels.
type tile struct {
	at   [3]int
	mean float64 // of the squares
}

// backgroundFigure measures sigma where there is no signal; w are the homogeneous windows of the object. ok is false if there
// is no such background, or the object does not have its noise. The error is the context's.
func (e *Estimate) backgroundFigure(ctx context.Context, v *volume.Volume, valueRange float64, w evenWindows) (ok bool, err error) {
	tiles, err := quietTiles(ctx, v)
	if err != nil || len(tiles) < fewTiles || !alikeOnAllSides(v.Geometry, tiles) || !rayleigh(v, tiles) {
		return false, err
	}
	sigma := math.Sqrt(usualSquare(tiles) / 2)
	c := ofMagnitudes(v, tiles)
	if sigma < leastShare*valueRange || !w.hold(sigma) {
		return false, nil
	}
	e.Method, e.Negligible, e.Model, e.ModelKnown = methodBackground, false, Rician, true
	e.Correlation, e.Acquired = c, nil
	e.Figure = Figure{Sigma: sigma, Windows: len(tiles), Confidence: Fair, Why: message.New(message.NoiseCorrelated, "it was read beside the object, and the noise is correlated from voxel to voxel, as after smoothing or interpolation")}
	e.PerSlice = slices.Repeat([]Figure{e.Figure}, v.Dims[2])
	return true, nil
}

// quietTiles returns the tiles of the background, whose mean square is near the lowest in the volume.
func quietTiles(ctx context.Context, v *volume.Volume) ([]tile, error) {
	n := min(v.Dims[2], mostTiled)
	bySlice := make([][]tile, n)
	err := parallel.ForWorkers(ctx, n, runtime.GOMAXPROCS(0), func() func(int) error {
		return func(i int) error {
			z := (2*i + 1) * v.Dims[2] / (2 * n)
			for y := 0; y+tileSide <= v.Dims[1]; y += tileSide / 2 {
				for x := 0; x+tileSide <= v.Dims[0]; x += tileSide / 2 {
					if mean, ok := meanSquare(v, x, y, z); ok {
						bySlice[i] = append(bySlice[i], tile{[3]int{x, y, z}, mean})
					}
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(bySlice...)
	if len(all) < fewTiles {
		return nil, nil
	}
	level := quantile(meanSquares(all), 0.02)
	for range 20 {
		near := tilesNear(all, level)
		next := usualSquare(near)
		if len(near) == 0 || next == level {
			return near, nil
		}
		level = next
	}
	return tilesNear(all, level), nil
}

// meanSquare returns the mean of the squares in a tile; ok is false if it reaches into padding, or holds negative
// values, or zeros that a scanner or a mask put there.
func meanSquare(v *volume.Volume, x, y, z int) (mean float64, ok bool) {
	zeros := 0
	for j := range tileSide {
		from := v.Index(x, y+j, z)
		for i, a := range v.Data[from : from+tileSide] {
			switch {
			case a < 0 || !v.Valid(from+i):
				return 0, false
			case a == 0:
				zeros++
			}
			mean += float64(a) * float64(a)
		}
	}
	return mean / (tileSide * tileSide), float64(zeros) <= mostZeros*tileSide*tileSide
}

func meanSquares(tiles []tile) []float64 {
	all := make([]float64, len(tiles))
	for i, t := range tiles {
		all[i] = t.mean
	}
	return all
}

func tilesNear(all []tile, level float64) []tile {
	var near []tile
	for _, t := range all {
		if off := math.Sqrt(t.mean/level) - 1; math.Abs(off) <= tileBand {
			near = append(near, t)
		}
	}
	return near
}

// usualSquare is the median of the mean squares.
func usualSquare(tiles []tile) float64 { return quantile(meanSquares(tiles), 0.5) }

// alikeOnAllSides reports whether the tiles of three or four quarters of the slices read the same, as do
// those of the first, the middle and the last slices.
func alikeOnAllSides(g volume.Geometry, tiles []tile) bool {
	var quarters [4][]tile
	var thirds [3][]tile
	for _, t := range tiles {
		k := 0
		if t.at[0]+tileSide/2 >= g.Dims[0]/2 {
			k++
		}
		if t.at[1]+tileSide/2 >= g.Dims[1]/2 {
			k += 2
		}
		quarters[k] = append(quarters[k], t)
		z := 3 * t.at[2] / g.Dims[2]
		thirds[z] = append(thirds[z], t)
	}
	usual, known := usualSquare(tiles), 0
	for i, part := range slices.Concat(quarters[:], thirds[:]) {
		if len(part) < fewInQuarter {
			continue
		}
		if i < len(quarters) {
			known++
		}
		if off := math.Sqrt(usualSquare(part)/usual) - 1; math.Abs(off) > sidesDiffer+0.2/math.Sqrt(float64(len(part))) {
			return false
		}
	}
	return known >= 3
}

// rayleigh reports whether the values of the tiles have the distribution of noise without signal in one channel, by its mean
// and quantiles over the root mean square.
func rayleigh(v *volume.Volume, tiles []tile) bool {
	values := make([]float64, 0, len(tiles)*tileSide*tileSide)
	sum, squares := 0.0, 0.0
	for _, t := range tiles {
		for j := range tileSide {
			for _, a := range v.Data[v.Index(t.at[0], t.at[1]+j, t.at[2]):][:tileSide] {
				values = append(values, float64(a))
				sum, squares = sum+float64(a), squares+float64(a)*float64(a)
			}
		}
	}
	n := float64(len(values))
	root := math.Sqrt(squares / n)
	if math.Abs(sum/n/root-math.Sqrt(math.Pi)/2) > rayleighShape {
		return false
	}
	for _, q := range [...]float64{0.1, 0.25, 0.5, 0.75, 0.9} {
		if math.Abs(quantile(values, q)/root-math.Sqrt(-math.Log(1-q))) > rayleighShape {
			return false
		}
	}
	return true
}

// ofMagnitudes returns the correlation of noise whose magnitudes in the tiles have the correlation c. The sign of rho does not
// show, nor does rho below chance: they count as positive, as of noise that was smoothed, and as 0.
func ofMagnitudes(v *volume.Volume, tiles []tile) *Correlation {
	mean := 0.0
	for _, t := range tiles {
		mean += t.mean / float64(len(tiles))
	}
	mean = math.Sqrt(mean * math.Pi / 4)
	var shared lags
	values := make([]float64, tileSide*tileSide)
	for _, t := range tiles {
		for j := range tileSide {
			for i, a := range v.Data[v.Index(t.at[0], t.at[1]+j, t.at[2]):][:tileSide] {
				values[j*tileSide+i] = float64(a) - mean
			}
		}
		shared.add(values, values, tileSide)
	}
	c := Correlation{Across: [3]float64{1}}
	hidden := math.Sqrt(squaredRho(min(surelyShared*math.Sqrt(mostSamples/float64(len(tiles)*tileSide*tileSide)), 1)))
	for dy := 0; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			found := math.Sqrt(squaredRho(max(min(shared[dy+MaxLag][dx+MaxLag]/shared[MaxLag][MaxLag], 1), 0)))
			if found <= hidden {
				found = 0
			}
			c.InPlane.set(dx, dy, found)
		}
	}
	return &c
}

// squaredRho returns rho^2 of complex noise whose magnitudes have the correlation c, 0 to 1, to within 0.006:
//
//	c = (F(rho^2) - 1) / (4/pi - 1),  F(x) = 1 + x/4 + x^2/64 + x^3/256 + ...
//
// with the hypergeometric function F = 2F1(-1/2, -1/2; 1; x) (Middleton 1960).
func squaredRho(c float64) float64 { return c * (1.093 - 0.093*c) }
