package gpu

import (
	"quell/gpu/wire"
	"quell/kernels"
)

// TunedShapes are the launch shapes that are the fastest on a kind of device (kernels.Shapes).
// They hold for the driver and the kernels with which they were found.
type TunedShapes struct {
	Device  string         `json:"device"`  // its name
	Driver  int            `json:"driver"`  // the CUDA version of the driver: 12020 is 12.2
	Kernels string         `json:"kernels"` // hash of the kernels
	Shapes  kernels.Shapes `json:"shapes"`
}

// shapesFor returns the shapes for the device of a worker; nil for none. outdated says
// that there are some, but of another driver or of other kernels.
func shapesFor(all []TunedShapes, h wire.Hello) (shapes kernels.Shapes, outdated bool) {
	for _, t := range all {
		switch {
		case t.Device != h.Device.Name:
		case t.Driver == h.Driver && t.Kernels == h.Kernels:
			return t.Shapes, false
		default:
			outdated = true
		}
	}
	return nil, outdated
}
