package judging

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"quell/app/open"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
)

func TestPrintedEstimate(t *testing.T) {
	correlated := &noise.Correlation{Across: [3]float64{1, 0.25, 0}}
	correlated.InPlane[noise.MaxLag][noise.MaxLag] = 1
	correlated.InPlane[noise.MaxLag][noise.MaxLag+1] = 0.5
	for _, c := range []struct {
		e    noise.Estimate
		unit string
		want string
	}{
		{noise.Known(3.14159), "HU", "sigma 3.142 HU  high confidence\nnoise gaussian\n"},
		{
			noise.Estimate{
				Figure: noise.Figure{Sigma: 20, Confidence: noise.Low, Why: message.Verbatim("texture")}, Model: noise.Rician,
				PerSlice: []noise.Figure{{Sigma: 21, Confidence: noise.Fair}, {Confidence: noise.None, Why: message.Verbatim("it is empty")}, {Sigma: 22, Confidence: noise.Low, Why: message.Verbatim("texture")}},
			}, "",
			"sigma 20  low confidence: texture\nnoise rician (assumed: no background shows it)\nslice 1  21  fair confidence\nslice 2  unknown: it is empty\nslice 3  22  low confidence\n",
		},
		{
			noise.Estimate{Figure: noise.Figure{Sigma: 9, Confidence: noise.High}, Model: noise.Gaussian, ModelKnown: true, Correlation: correlated}, "HU",
			"sigma 9 HU  high confidence\nnoise gaussian, correlated: 0.50 from pixel to pixel, 0.25 from slice to slice\n",
		},
		{
			noise.Estimate{Figure: noise.Figure{Sigma: 9, Confidence: noise.High}, Model: noise.Rician, ModelKnown: true, Acquired: &noise.Acquisition{Matrix: [2]int{128, 96}, Of: [2]int{256, 256}}}, "",
			"sigma 9  high confidence\nnoise rician, acquired 128 x 96 of 256 x 256\n",
		},
	} {
		var b bytes.Buffer
		if err := (VolumeEstimate{Estimate: c.e, unit: c.unit}).print(&b); err != nil || b.String() != c.want {
			t.Errorf("%q, %v; want %q", &b, err, c.want)
		}
		for lines := range 2 {
			if err := (VolumeEstimate{Estimate: c.e, unit: c.unit}).print(&brokenAfter{lines}); err == nil && lines <= min(len(c.e.PerSlice), 1) {
				t.Errorf("output that fails after %d writes gave no error", lines)
			}
		}
	}
}

// The figure that volumes share is printed whole once.
func TestPrintedVolumes(t *testing.T) {
	shared := noise.Figure{Sigma: 9, Low: 8, High: 10, Confidence: noise.Fair, Why: message.Verbatim("something moved")}
	other := shared
	other.High = 10.5
	var all []VolumeEstimate
	for i, f := range []noise.Figure{shared, shared, other} {
		all = append(all, VolumeEstimate{Name: fmt.Sprint("volume ", i+1), Estimate: noise.Estimate{Figure: f, Model: noise.Gaussian, ModelKnown: true}})
	}
	want := "volume 1\nsigma 9 (8 to 10)  fair confidence: something moved\nnoise gaussian\nvolume 2  9 (8 to 10)  fair confidence\n" +
		"volume 3\nsigma 9 (8 to 10.5)  fair confidence: something moved\nnoise gaussian\n"
	var b bytes.Buffer
	if err := printEstimates(&b, all, nil, open.Selection{Group: &series.Group{}}, false); err != nil || b.String() != want {
		t.Errorf("%q, %v; want %q", &b, err, want)
	}
	for lines := range 5 {
		if printEstimates(&brokenAfter{lines}, all, nil, open.Selection{Group: &series.Group{}}, false) == nil {
			t.Errorf("output that fails after %d writes gave no error", lines)
		}
	}
}

// brokenAfter fails after a number of writes.
type brokenAfter struct{ writes int }

func (b *brokenAfter) Write(p []byte) (int, error) {
	if b.writes--; b.writes < 0 {
		return 0, errors.New("no room for output")
	}
	return len(p), nil
}
