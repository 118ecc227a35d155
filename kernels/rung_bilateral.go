package kernels

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"quell/denoise"
	"quell/denoise/filter/bilateral"
)

// squareEdge and cubeEdge are the largest windows of the tables in rungs/bilateral.cu.
const (
	squareEdge = 17
	cubeEdge   = 23
)

// bilateralTableParams mirrors struct TableParams of rungs/bilateral.cu.
type bilateralTableParams struct {
	Params  bilateralParams
	Weights [squareEdge*squareEdge + 1]float32
	Texture uint64
}

// average is the pass of the bilateral filter.
const average = "average"

// bilateralRungs are the kernels of rungs/bilateral.cu.
func bilateralRungs() map[string]rung {
	all := map[string]rung{
		"bilateral_formula": {bilateral.Filter.Name, average, [3]int{32, 8, 1}, 10, bilateralFormula, nil},
	}
	for kernel, block := range map[string][3]int{"bilateral_constant": {32, 8, 1}, "bilateral_shared": {32, 32, 1}} {
		all[kernel] = rung{bilateral.Filter.Name, average, block, 10, bilateralTable(kernel, false), nil}
		all[kernel+"_texture"] = rung{bilateral.Filter.Name, average, block, 10, bilateralTable(kernel+"_texture", true), nil}
	}
	all["bilateral_formula_texture"] = rung{bilateral.Filter.Name, average, [3]int{32, 8, 1}, 10, bilateralTable("bilateral_formula_texture", true), nil}
	for axis, name := range []string{"width", "height", "depth"} {
		for _, memory := range []string{"constant", "global"} {
			for _, test := range []string{"tests", "cut"} {
				kernel := fmt.Sprintf("bilateral_%s_%s_%s", name, memory, test)
				all[kernel] = rung{bilateral.Filter.Name, average, [3]int{128, 1, 1}, 10, bilateralRow(kernel, memory+"Weights", axis), nil}
			}
		}
	}
	return all
}

func rungArgs(p denoise.Program, f field) bilateralParams {
	q := p.Params.(bilateral.Params)
	args := bilateralParams{Field: f, Scale: float32(math.Sqrt(halfLog2E) / q.SigmaRange)}
	args.Radius, args.Decay = decay(q.Weights)
	args.Inverse = 1 / args.Scale
	return args
}

func bilateralFormula(p denoise.Program, _ Part, f field, block [3]int) ([]Launch, error) {
	if f.Mask != 0 {
		return nil, errMasked
	}
	return []Launch{{Module: "rungs/bilateral", Kernel: "bilateral_formula", Grid: f.grid(block), Block: block, Args: Pack(rungArgs(p, f))}}, nil
}

// spatialWeights returns 2^-(sum_a decay_a d_a^2) for every neighbour, x fastest.
func spatialWeights(p bilateralParams) []float32 {
	var weights []float32
	r := p.Radius
	for dz := -r[2]; dz <= r[2]; dz++ {
		for dy := -r[1]; dy <= r[1]; dy++ {
			for dx := -r[0]; dx <= r[0]; dx++ {
				q := float64(p.Decay[0])*float64(dx*dx) + float64(p.Decay[1])*float64(dy*dy) + float64(p.Decay[2])*float64(dz*dz)
				weights = append(weights, float32(math.Exp2(-q)))
			}
		}
	}
	return weights
}

// bilateralTable: the weights of a slice are among the parameters, which lie in
// constant memory.
func bilateralTable(kernel string, texture bool) func(denoise.Program, Part, field, [3]int) ([]Launch, error) {
	return func(p denoise.Program, _ Part, f field, block [3]int) ([]Launch, error) {
		if f.Mask != 0 {
			return nil, errMasked
		}
		args := bilateralTableParams{Params: rungArgs(p, f)}
		weights := spatialWeights(args.Params)
		if args.Params.Radius[2] != 0 || block[2] != 1 || len(weights) > squareEdge*squareEdge {
			return nil, fmt.Errorf("the rung filters slices with windows up to %dx%d", squareEdge, squareEdge)
		}
		copy(args.Weights[:], weights)
		l := Launch{Module: "rungs/bilateral", Kernel: kernel, Grid: f.grid(block), Block: block, Args: Pack(args)}
		var err error
		if texture {
			if l.Texture, err = textureOf(f); err != nil {
				return nil, err
			}
		}
		if strings.HasPrefix(kernel, "bilateral_shared") {
			l, err = tileLaunch(l, args.Params.Radius, 0)
		}
		return []Launch{l}, err
	}
}

// bilateralRow: a thread filters a row along axis. A block lies in the plane across it:
// along x and y for depth, y and z for width, z and x for height.
func bilateralRow(kernel, symbol string, axis int) func(denoise.Program, Part, field, [3]int) ([]Launch, error) {
	return func(p denoise.Program, _ Part, f field, block [3]int) ([]Launch, error) {
		args := rungArgs(p, f)
		weights := spatialWeights(args)
		switch {
		case f.Mask != 0:
			return nil, errMasked
		case len(weights) > cubeEdge*cubeEdge*cubeEdge:
			return nil, fmt.Errorf("the rung's table has %d weights and %d are needed", cubeEdge*cubeEdge*cubeEdge, len(weights))
		case block[2] != 1:
			return nil, errors.New("a thread filters a row: blocks are one thread deep")
		}
		next, last := (axis+1)%3, (axis+2)%3
		tile := [3]int{}
		tile[axis], tile[next], tile[last] = int(f.Max[axis]-f.Min[axis]), block[0], block[1]
		return []Launch{{Module: "rungs/bilateral", Kernel: kernel, Grid: f.grid(tile), Block: block, Args: Pack(args),
			Symbol: symbol, Data: Pack(weights)}}, nil
	}
}
