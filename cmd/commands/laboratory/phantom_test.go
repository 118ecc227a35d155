package laboratory

import (
	"testing"

	"quell/phantom"
)

func TestPhantomSize(t *testing.T) {
	for _, c := range []struct {
		dims, spacing []float64
		want          phantom.Size
		ok            bool
	}{
		{nil, nil, phantom.Size{}, true},
		{[]float64{1, 20, 3}, []float64{0.5, 1, 2}, phantom.Size{Dims: [3]int{1, 20, 3}, Spacing: [3]float64{0.5, 1, 2}}, true},
		{[]float64{1, 2}, nil, phantom.Size{}, false}, {[]float64{1, 2, 3, 4}, nil, phantom.Size{}, false},
		{nil, []float64{1, 2}, phantom.Size{}, false}, {nil, []float64{1, 2, 3, 4}, phantom.Size{}, false},
		{[]float64{0, 2, 3}, nil, phantom.Size{}, false}, {[]float64{1, 2, -3}, nil, phantom.Size{}, false}, {[]float64{1, 2.5, 3}, nil, phantom.Size{}, false},
	} {
		if got, err := phantomSize(c.dims, c.spacing); (err == nil) != c.ok || c.ok && got != c.want {
			t.Errorf("%v, %v: %+v, %v", c.dims, c.spacing, got, err)
		}
	}
}
