package detect

import (
	"math"

	"quell/internal/message"
	"quell/measure"
)

// Task is a disc that an observer looks for.
type Task struct {
	Diameter float64 `json:"diameter_mm"`
	Contrast float64 `json:"contrast"` // in the unit of the slices
}

// Screen shows slices to an observer.
type Screen struct {
	Zoom     float64 `json:"zoom"`        // mm of the screen that a mm of the object takes
	Distance float64 `json:"distance_mm"` // from the screen to the eye
	// Internal is the variance of the observer's own noise in a score, relative to the variance that the noise of the
	// image gives it.
	Internal float64 `json:"internal"`
}

// UsualScreen shows slices one and a half times as large as life, from 50 cm; the observer's own noise is that of the
// channelised observer of virtual lesions.
var UsualScreen = Screen{Zoom: 1.5, Distance: 500, Internal: 0.5}

// TaskIndex is d' of a task with its standard error, by the errors of the spectrum and of the transfer function.
type TaskIndex struct {
	Value measure.Float `json:"d_prime"`
	Error measure.Float `json:"standard_error"`
}

const (
	// taskSteps is how many steps the integrals have below the highest frequency.
	taskSteps = 2000
	// leastSideOfTask is the least width of the regions of a spectrum, in diameters of the disc: about a tenth of
	// what the observer looks at has frequencies below the lowest that narrower ones show.
	leastSideOfTask = 3
	// mostBeyond is the share of the signal that may lie beyond the end of the transfer function.
	mostBeyond = 0.02
)

// spectrum returns the transform of the disc at a frequency in cycles/mm: C R J1(2 pi R f) / f.
func (t Task) spectrum(f float64) float64 {
	r := t.Diameter / 2
	if x := 2 * math.Pi * r * f; x > 1e-6 {
		return t.Contrast * r * math.J1(x) / f
	}
	return t.Contrast * math.Pi * r * r
}

// Index returns d' of the non-prewhitening observer (AAPM TG-233), with W the transform of the disc, T the task
// transfer function and N the noise power spectrum,
//
//	d'^2 = (int W^2 T^2 du dv)^2 / int W^2 T^2 N du dv
//
// over the disc of frequencies up to the Nyquist frequency. N and T are functions of the radius alone: what they are along each
// direction does not matter, as the mean over the directions is what N is. With a screen, nil for none, both integrals have
// the eye's gain E^2 and E^4, see [Eye.Gain], and the denominator grows by the internal noise. side is the width in mm of
// the regions that N was measured in. An error says why there is no figure: regions that are too narrow, or a
// curve of T that ends too early.
func (t Task) Index(n measure.NPS, m measure.MTF, side float64, s *Screen) (TaskIndex, error) {
	if side < leastSideOfTask*t.Diameter {
		return TaskIndex{}, message.Errorf(message.MeasureFew, "a noise power spectrum of regions of %.3g mm is too coarse for a disc of %.3g mm; they must be three times as wide", side, t.Diameter)
	}
	last := min(n.Nyquist, m.Frequency[len(m.Frequency)-1])
	w := weights{task: t, noise: n, screen: s, step: last / taskSteps}
	value, signal, shares := w.index(func(f float64) float64 { return at(m.Frequency, m.Value, f) })
	end := at(m.Frequency, m.Value, last)
	beyond := 0.0
	for f := last + w.step/2; f < n.Nyquist; f += w.step {
		beyond += w.signal(f, end)
	}
	if beyond > mostBeyond*signal {
		return TaskIndex{}, message.Errorf(message.MeasureNoise, "the noise hides the transfer function beyond %.2g/mm, which a disc of %.3g mm needs", last, t.Diameter)
	}
	// The errors of T at all frequencies count as one: they go up and down together.
	up, _, _ := w.index(func(f float64) float64 { return at(m.Frequency, m.Value, f) + at(m.Frequency, m.Error, f) })
	variance := (up - value) * (up - value)
	for k, share := range shares {
		if p := n.Free(k); p > 0 {
			of := value * share * n.Error(k) / p / 2
			variance += of * of
		}
	}
	return TaskIndex{measure.Float(value), measure.Float(math.Sqrt(variance))}, nil
}

// weights are the integrands of d'.
type weights struct {
	task   Task
	noise  measure.NPS
	screen *Screen
	step   float64
}

// gain is the square of the eye's gain at a frequency in cycles/mm of the object.
func (w weights) gain(f float64) float64 {
	if w.screen == nil {
		return 1
	}
	e := Eye{Pixel: w.screen.Zoom, Distance: w.screen.Distance}.Gain(f)
	return e * e
}

// signal is the share of a ring at a frequency with a transfer in the signal.
func (w weights) signal(f, transfer float64) float64 {
	x := w.task.spectrum(f) * transfer
	return 2 * math.Pi * f * w.step * x * x * w.gain(f)
}

// index returns d', the signal, and the share of each bin of the spectrum in the variance of the score.
func (w weights) index(transfer func(f float64) float64) (value, signal float64, shares []float64) {
	shares = make([]float64, len(w.noise.Frequency))
	var variance float64
	bin := 0
	for i := range taskSteps {
		f := (float64(i) + 0.5) * w.step
		s := w.signal(f, transfer(f))
		v := s * w.gain(f) * w.noise.At(f)
		signal, variance = signal+s, variance+v
		for bin+1 < len(shares) && w.noise.Frequency[bin+1]-f < f-w.noise.Frequency[bin] {
			bin++ // the nearest
		}
		shares[bin] += v
	}
	for k := range shares {
		shares[k] /= variance
	}
	if w.screen != nil {
		variance *= 1 + w.screen.Internal
	}
	return signal / math.Sqrt(variance), signal, shares
}

// at returns a curve at a frequency, on lines between its points.
func at(frequencies, values []float64, f float64) float64 {
	last := len(frequencies) - 1
	step := frequencies[last] / float64(max(last, 1)) // they are evenly spaced
	k := min(int(f/step), last-1)
	if k < 0 {
		return values[0]
	}
	part := f/step - float64(k)
	return values[k] + (values[k+1]-values[k])*min(part, 1)
}
