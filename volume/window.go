package volume

import (
	"encoding/binary"
	"image"
	"slices"
)

// Window is a window width and level (DICOM: center) in the volume's unit.
type Window struct {
	Center float64 `json:"center"`
	Width  float64 `json:"width"` // > 0
	Name   string  `json:"name,omitempty"`
	// Exact selects LINEAR_EXACT (DICOM PS3.3 C.11.2.1.3.2), which fits values
	// that are not whole numbers; the default is DICOM's LINEAR.
	Exact bool `json:"exact,omitempty"`
}

// Render paints values as grey into dst: the linear function of DICOM PS3.3
// C.11.2.1.2.1, or C.11.2.1.3.2 (LINEAR_EXACT) if w.Exact is set. src holds one
// value per pixel of dst, row by row. Nothing is allocated; a 512 x 512 slice takes
// well under a millisecond on one core.
//
// Padding is painted like any value; readers store it at or below the lowest valid
// one, which makes it the darkest grey.
func (w Window) Render(dst *image.RGBA, src []float32) { w.render(dst, src, 0) }

// RenderInverted is Render with black and white exchanged, for MONOCHROME1 and
// for the inverted display.
func (w Window) RenderInverted(dst *image.RGBA, src []float32) { w.render(dst, src, 0xff) }

// Ends returns the values at which the window turns black and white: at or
// below lo is black, at or above hi white. hi is larger than lo.
func (w Window) Ends() (lo, hi float64) {
	if w.Exact || !(w.Width > 1) {
		// LINEAR is not defined for a width of 1 or less; LINEAR_EXACT is.
		width := max(w.Width, 1e-9)
		return w.Center - width/2, w.Center + width/2
	}
	return w.Center - 0.5 - (w.Width-1)/2, w.Center - 0.5 + (w.Width-1)/2
}

func (w Window) render(dst *image.RGBA, src []float32, flip uint32) {
	from, to := w.Ends()
	lo, scale := float32(from), float32(255/(to-from))
	cols, rows := dst.Rect.Dx(), dst.Rect.Dy()
	for row := range rows {
		line := src[row*cols : (row+1)*cols]
		out := dst.Pix[row*dst.Stride:][: 4*cols : 4*cols]
		for _, x := range line {
			// Clamp as a float: converting a value outside the integer's range is
			// not defined.
			y := min(max((x-lo)*scale, 0), 255)
			grey := uint32(int32(y+0.5)) ^ flip
			binary.LittleEndian.PutUint32(out, grey*0x010101|0xff000000)
			out = out[4:]
		}
	}
}

// sampleLimit bounds the voxels that AutoWindow sorts.
const sampleLimit = 1 << 17

// sortedSample returns the valid voxels in ascending order; of a large volume a regular
// sample.
func sortedSample(v *Volume) []float32 {
	// An odd step does not sample the same columns of every row of even length.
	step := len(v.Data)/sampleLimit | 1
	sample := make([]float32, 0, len(v.Data)/step+1)
	for i := 0; i < len(v.Data); i += step {
		if v.Valid(i) {
			sample = append(sample, v.Data[i])
		}
	}
	slices.Sort(sample)
	return sample
}

// AutoWindow returns the window that shows 0.1 % of the valid voxels as black and
// 0.1 % as white. In a large volume it looks at a regular sample.
func AutoWindow(v *Volume) Window {
	sample := sortedSample(v)
	w := Window{Name: "Auto", Width: 1, Exact: true}
	if len(sample) == 0 {
		return w
	}
	tail := len(sample) / 1000
	lo, hi := float64(sample[tail]), float64(sample[len(sample)-1-tail])
	if lo == hi { // a constant background fills the percentiles: use the full range
		lo, hi = float64(sample[0]), float64(sample[len(sample)-1])
	}
	w.Center = (lo + hi) / 2
	if hi > lo {
		w.Width = hi - lo
	}
	return w
}

// background is the part of the range from the least value to the 99.5th percentile that
// RelativeWindows takes for background, as in MR images air and what gives no signal.
const background = 0.1

// relative are the windows of RelativeWindows by percentiles of the foreground.
var relative = []struct {
	name   string
	lo, hi float64 // %
}{
	{"Tissue", 1, 99},
	{"Tissue, narrow", 10, 90},
	{"Bright", 50, 99.8},
	{"Dark", 0, 50},
}

// RelativeWindows returns windows for a volume with values of no common scale, as in MR:
// by percentiles of its foreground, for all of the tissue, for its contrasts, for what is
// bright (fluid in T2, fat and contrast agent in T1) and for dark tissue. Windows that
// would have no width are left out.
func RelativeWindows(v *Volume) []Window {
	sample := sortedSample(v)
	if len(sample) == 0 {
		return nil
	}
	at := func(values []float32, percent float64) float64 {
		return float64(values[int(percent/100*float64(len(values)-1)+0.5)])
	}
	least := at(sample, 0)
	threshold := float32(least + background*(at(sample, 99.5)-least))
	from, _ := slices.BinarySearch(sample, threshold)
	foreground := sample[from:]
	var out []Window
	for _, r := range relative {
		lo, hi := at(foreground, r.lo), at(foreground, r.hi)
		if hi > lo {
			out = append(out, Window{Name: r.name, Center: (lo + hi) / 2, Width: hi - lo, Exact: true})
		}
	}
	return out
}

var ctPresets = []Window{
	{Name: "Brain", Width: 80, Center: 40},
	{Name: "Stroke", Width: 40, Center: 40},
	{Name: "Abdomen", Width: 400, Center: 50},
	{Name: "Liver", Width: 150, Center: 30},
	{Name: "Mediastinum", Width: 350, Center: 50},
	{Name: "Lung", Width: 1500, Center: -600},
	{Name: "Bone", Width: 2000, Center: 400},
	{Name: "Temporal bone", Width: 2800, Center: 600},

	{Name: "Stroke, narrow", Width: 8, Center: 32},
	{Name: "Subdural", Width: 200, Center: 75},
	{Name: "Liver, contrast phase", Width: 150, Center: 90},
	{Name: "Angiography", Width: 600, Center: 300},
}

// WindowNames returns the names of all windows of Presets, RelativeWindows and AutoWindow.
func WindowNames() []string {
	names := []string{"Auto"}
	for _, w := range ctPresets {
		names = append(names, w.Name)
	}
	for _, r := range relative {
		names = append(names, r.name)
	}
	return names
}

// Presets returns the usual windows of a modality. For CT the first eight belong to
// the keys 2 to 9; a menu alone shows the rest. Other modalities have no common
// scale and no presets, but RelativeWindows. The caller may change the result.
func Presets(modality string) []Window {
	if modality != "CT" {
		return nil
	}
	return slices.Clone(ctPresets)
}

// Shrink returns a slice at most side voxels wide and high with square ones,
// each the mean of those it covers.
func (v *Volume) Shrink(side int) *Volume {
	width, height := float64(v.Dims[0])*v.Spacing[0], float64(v.Dims[1])*v.Spacing[1]
	pixel := max(width, height) / float64(side)
	cols, rows := max(1, int(width/pixel+0.5)), max(1, int(height/pixel+0.5))
	out := New(NewGeometry([3]int{cols, rows, 1}, [3]float64{pixel, pixel, 1}))
	// covered is the range of a source axis under pixel k of n: at least one.
	covered := func(k, n, source int) (from, to int) {
		from = k * source / n
		return from, max((k+1)*source/n, from+1)
	}
	for y := range rows {
		y0, y1 := covered(y, rows, v.Dims[1])
		for x := range cols {
			x0, x1 := covered(x, cols, v.Dims[0])
			var sum float64
			for j := y0; j < y1; j++ {
				for _, p := range v.Data[j*v.Dims[0]+x0 : j*v.Dims[0]+x1] {
					sum += float64(p)
				}
			}
			out.Data[y*cols+x] = float32(sum / float64((y1-y0)*(x1-x0)))
		}
	}
	return out
}

// Gray paints a slice in a window, or in the inverse of it.
func (v *Volume) Gray(w Window, inverted bool) *image.Gray {
	colour := image.NewRGBA(image.Rect(0, 0, v.Dims[0], v.Dims[1]))
	if inverted {
		w.RenderInverted(colour, v.Data)
	} else {
		w.Render(colour, v.Data)
	}
	grey := image.NewGray(colour.Rect)
	for i := range grey.Pix {
		grey.Pix[i] = colour.Pix[4*i]
	}
	return grey
}
