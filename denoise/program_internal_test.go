package denoise

import (
	"strings"
	"testing"

	"quell/volume"
)

// chain is a program of passes written as "inputs > output".
func chain(passes ...string) Program {
	var p Program
	for i, text := range passes {
		inputs, output, _ := strings.Cut(text, ">")
		p.Passes = append(p.Passes, Pass{
			Name: text, Inputs: strings.Split(inputs, ","), Output: output, Reach: [3]int{1 << (4 * i), i, 0},
			Reference: func([]Field, int, int, int) float64 { return 0 },
			CPU: CPUPass{
				Tile:  [3]int{1, 1, 1},
				Start: func([]Field, Field) func() Worker { return nil },
			},
		})
	}
	return p
}

// The halo of a field is the largest sum of reaches over the chains of passes from
// it to the result.
func TestHalos(t *testing.T) {
	p := chain("voxels>a", "a,noise map>b", "voxels,a>c", "b,c>result")
	if err := p.check(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][3]int{
		Result: {}, "b": {0x1000, 3}, "c": {0x1000, 3}, "a": {0x1100, 5}, NoiseMap: {0x1010, 4}, Voxels: {0x1101, 5},
	} {
		if got := p.Halos()[name]; got != want {
			t.Errorf("halo of %s is %#x; want %#x", name, got, want)
		}
	}
	if got, want := p.Reach(), [3]int{0x1101, 5, 0}; got != want {
		t.Errorf("reach %#x; want %#x", got, want)
	}
	if !p.Reads(NoiseMap) || p.Reads(GuideVolume) {
		t.Error("the program reads the noise map and no guide")
	}
}

func TestProgramCheck(t *testing.T) {
	bare := func(change func(p *Pass)) Program {
		p := chain("voxels>result")
		change(&p.Passes[0])
		return p
	}
	for name, c := range map[string]struct {
		p    Program
		want string
	}{
		"no pass":           {Program{}, "result"},
		"no result":         {chain("voxels>a"), "result"},
		"unknown input":     {chain("voxels>a", "b>result"), `"b"`},
		"later input":       {chain("b>a", "voxels>b", "a>result"), `"b"`},
		"written twice":     {chain("voxels>a", "voxels>a", "a>result"), `"a"`},
		"overwritten input": {chain("voxels>voxels", "voxels>result"), `"voxels"`},
		"result and more":   {chain("voxels>result", "result>a", "a>result"), `"result"`},
		"no width":          {bare(func(p *Pass) { p.CPU.Tile[0] = 0 }), "tile"},
		"no depth":          {bare(func(p *Pass) { p.CPU.Tile[2] = 0 }), "tile"},
		"early result":      {chain("voxels>result", "voxels>result"), `"result"`},
		"no reference":      {bare(func(p *Pass) { p.Reference = nil }), "reference"},
		"no CPU form":       {bare(func(p *Pass) { p.CPU.Start = nil }), "CPU"},
		"no tile":           {bare(func(p *Pass) { p.CPU.Tile[1] = 0 }), "tile"},
		"negative reach":    {bare(func(p *Pass) { p.Reach[2] = -1 }), "reach"},
	} {
		if err := c.p.check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v; want one that names %s", name, err, c.want)
		}
	}
}

func TestInputCheck(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{3, 2, 1}, [3]float64{1, 1, 1}))
	other := volume.New(volume.NewGeometry([3]int{2, 3, 1}, [3]float64{1, 1, 1}))
	for want, in := range map[string]Input{
		"volume":    {},
		"values":    {Volume: &volume.Volume{Geometry: v.Geometry, Data: v.Data[1:]}},
		"a mask":    {Volume: &volume.Volume{Geometry: v.Geometry, Data: v.Data, Mask: make([]bool, 5)}},
		"the mask":  {Volume: v, Mask: make([]bool, 5)},
		"noise map": {Volume: v, Noise: other},
		"the noise": {Volume: v, Noise: &volume.Volume{Geometry: v.Geometry, Data: v.Data[1:]}},
		"spacing":   {Volume: &volume.Volume{Geometry: volume.Geometry{Dims: v.Dims}, Data: v.Data}},
		"guide":     {Volume: v, Guide: other},
	} {
		if err := in.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one that names %q", err, want)
		}
	}
	masked := &volume.Volume{Geometry: v.Geometry, Data: v.Data, Mask: make([]bool, 6)}
	if err := (Input{Volume: masked}).Check(); err != nil {
		t.Error(err)
	}
	if err := (Input{Volume: v, Noise: v, Guide: v, Mask: make([]bool, 6)}).Check(); err != nil {
		t.Error(err)
	}
}
