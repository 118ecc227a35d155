package pixel

import "quell/internal/words16"

// hounsfieldFloor is the lowest value that CT measures: air is -1000 HU, and noise in the
// 12-bit scale ends at -1024.
const hounsfieldFloor = -1024

// Mask sets dst, one value for each pixel, to false for padding and to true elsewhere, and
// returns the number of padding pixels. A value that no measurement can have is padding
// anywhere; any other only if it is connected to the image's edge, for some files name 0
// or air as padding and use it inside the patient as well.
func (f *Format) Mask(dst []bool, raw []byte, modality string) (padding int) {
	if !f.Padding {
		fillTrue(dst)
		return 0
	}
	if f.Float {
		return f.markFloat(dst, raw)
	}
	lo, hi := f.storedRange()
	if int64(f.PadHigh) < lo || int64(f.PadLow) > hi {
		return f.markWords(dst, raw)
	}
	if padding = f.markPadding(dst, raw); padding == 0 {
		return 0
	}
	if f.Signed && int64(f.PadHigh) == lo || modality == "CT" && f.real(int64(f.PadHigh)) < hounsfieldFloor {
		return padding
	}
	return keepEdge(dst, f.Cols, f.Rows)
}

// markPadding sets dst to whether the stored value is outside the padding range,
// and returns how many are inside.
func (f *Format) markPadding(dst []bool, raw []byte) (inside int) {
	lo, hi := f.storedRange()
	first, last := max(int64(f.PadLow), lo), min(int64(f.PadHigh), hi)
	if first > last {
		fillTrue(dst)
		return 0
	}
	if f.Allocated == 16 {
		// The stored bits alone, at the top of the word: there the range begins at 0
		// once first is taken off, whatever the sign.
		below := 16 - f.Stored
		return words16.Outside(dst, raw, 15-f.High, uint16(first)<<below, uint16(last-first)<<below|(1<<below-1))
	}
	for i := range dst {
		v := f.at(raw, i)
		if dst[i] = v < first || v > last; !dst[i] {
			inside++
		}
	}
	return inside
}

// markWords is markPadding for values that the stored bits cannot hold: they were
// written over all allocated ones.
func (f *Format) markWords(dst []bool, raw []byte) (inside int) {
	whole := Format{Allocated: f.Allocated, Stored: f.Allocated, High: f.Allocated - 1, Signed: f.Signed}
	for i := range dst {
		v := whole.at(raw, i)
		if dst[i] = v < int64(f.PadLow) || v > int64(f.PadHigh); !dst[i] {
			inside++
		}
	}
	return inside
}

// keepEdge sets pixels that are false back to true unless a path of false
// pixels, side by side, leads from them to the edge of the image. It returns
// how many false ones remain.
func keepEdge(dst []bool, cols, rows int) (remain int) {
	reached := make([]bool, len(dst))
	var stack []int
	visit := func(x, y int) {
		if i := y*cols + x; !dst[i] && !reached[i] {
			reached[i] = true
			stack = append(stack, i)
		}
	}
	for x := range cols {
		visit(x, 0)
		visit(x, rows-1)
	}
	for y := range rows {
		visit(0, y)
		visit(cols-1, y)
	}
	for ; len(stack) > 0; remain++ {
		x, y := stack[len(stack)-1]%cols, stack[len(stack)-1]/cols
		stack = stack[:len(stack)-1]
		if x > 0 {
			visit(x-1, y)
		}
		if x < cols-1 {
			visit(x+1, y)
		}
		if y > 0 {
			visit(x, y-1)
		}
		if y < rows-1 {
			visit(x, y+1)
		}
	}
	for i := range dst {
		dst[i] = !reached[i]
	}
	return remain
}

func fillTrue(dst []bool) {
	for i := range dst {
		dst[i] = true
	}
}
