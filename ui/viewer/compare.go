package viewer

// checkers is how many squares of a checkerboard the shorter side of a pane holds.
const checkers = 8

// CheckerSize returns the side of a square of the checkerboard in a w x h pane. The
// square in the pane's top left corner shows A.
func CheckerSize(w, h int) int { return max(min(w, h)/checkers, 1) }

// DividerAt returns the first column of a pane of width w that is right of the swipe's
// divider.
func (c Comparison) DividerAt(w int) int { return min(max(int(c.Share*float64(w)+0.5), 0), w) }

// onlyB says whether nothing of A is shown.
func (c Comparison) onlyB() bool { return c.Mode == Plain || c.Mode == Blink && !c.First }

// onlyA says whether nothing of B is shown.
func (c Comparison) onlyA() bool { return c.Mode == Blink && c.First }

// compose writes into b, samples of B, what the comparison shows of a and b. Both cover
// the device pixels [f.X0, f.X1) x [f.Y0, f.Y1) of a pane, row by row.
func (c Comparison) compose(a, b []float32, f Frame, pane Pane) {
	width := f.X1 - f.X0
	divider := c.DividerAt(pane.Width)
	size := CheckerSize(pane.Width, pane.Height)
	share := float32(c.Share)
	for y := f.Y0; y < f.Y1; y++ {
		from, to := a[(y-f.Y0)*width:][:width], b[(y-f.Y0)*width:][:width]
		switch c.Mode {
		case Swipe:
			copy(to, from[:min(max(divider-f.X0, 0), width)])
		case Fade:
			for i, v := range from {
				to[i] = v + share*(to[i]-v)
			}
		case Checkerboard:
			for x := f.X0; x < f.X1; x++ {
				if (x/size+y/size)%2 == 0 {
					to[x-f.X0] = from[x-f.X0]
				}
			}
		}
	}
}

// gridGrey is the grey of the lines between the squares of a checkerboard, which is mixed
// with the picture in equal parts.
const gridGrey = 0x60

// line draws the lines between the squares of a checkerboard over a frame.
func (c Comparison) line(f Frame, pane Pane) {
	if c.Mode != Checkerboard {
		return
	}
	size := CheckerSize(pane.Width, pane.Height)
	for y := f.Y0; y < f.Y1; y++ {
		for x := f.X0; x < f.X1; x++ {
			if x%size != 0 && y%size != 0 {
				continue
			}
			rgb := f.Image.Pix[f.Image.PixOffset(x-f.X0, y-f.Y0):][:3]
			for i, v := range rgb {
				rgb[i] = uint8((int(v) + gridGrey) / 2)
			}
		}
	}
}

// Comparison returns how the denoised pane compares the two sides.
func (s *State) Comparison() Comparison { return s.comparison }

// Compare sets the mode; the mode that is set already is switched off.
func (s *State) Compare(m Mode) {
	if m == s.comparison.Mode {
		m = Plain
	}
	s.comparison.Mode, s.comparison.First = m, false
	if s.comparison.Share == 0 || s.comparison.Share == 1 { // if one side hides the other
		s.comparison.Share = 0.5
	}
	s.changed()
}

// SetShare places the swipe's divider, or mixes the sides: 0 shows B alone under a
// swipe and A alone in a mixture.
func (s *State) SetShare(share float64) {
	if share = min(max(share, 0), 1); share != s.comparison.Share {
		s.comparison.Share = share
		s.changed()
	}
}

// Alternate shows the other side of a comparison that blinks.
func (s *State) Alternate() {
	if s.comparison.Mode == Blink {
		s.comparison.First = !s.comparison.First
		s.changed()
	}
}
