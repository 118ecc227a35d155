package kernels

import (
	"fmt"
	"slices"

	"quell/denoise"
	"quell/denoise/filter/lowrank"
)

func init() {
	Register(lowrank.Filter.Name, map[string]Pass{
		lowrank.PatchesPass: {
			Rate: 7.7e11, Launches: lowrankPatches, // 118 ms for 67 volumes of 96 x 96 x 19 voxels on an H100
			Speedup: func(p denoise.Program) float64 {
				if lowrankMemory(p.Params.(lowrank.Part), 0).block > 0 {
					return 0.5 // on a device with little shared memory the matrices are in scratch memory, which is slower
				}
				return 1
			},
			Scratch: func(p denoise.Program, _ denoise.Pass, _, region [3]int) int64 {
				m := lowrankMemory(p.Params.(lowrank.Part), 0)
				return m.weights(region) + 8*m.block*lowrankBlocks
			},
		},
		lowrank.MarkPass:    {Rate: 1e12, Launches: lowrankLimit("lowrank_mark")},
		lowrank.RestorePass: {Rate: 1e12, Launches: lowrankLimit("lowrank_restore")},
	})
}

// Of the kernel of patches.
const (
	lowrankThreads = 256
	lowrankSize    = 160     // rows of a Gram matrix, at most: larger ones leave no room in the shared memory of any device
	lowrankVolumes = 4096    // at most
	lowrankStatic  = 6 << 10 // bytes of shared memory besides what is asked for
	lowrankBlocks  = 1024    // that have scratch memory
)

// lowrankParams mirrors struct LowrankParams of lowrank_params.cuh.
type lowrankParams struct {
	In, Out                Box
	Weight, Scratch, Block uint64
	Volumes                int32
	Width                  [3]int32
	Starts                 [3]lowrank.Starts
	Size, Chunk            int32
}

// lowrankLimitParams mirrors struct LowrankLimitParams.
type lowrankLimitParams struct {
	In, Estimates, Marks, Out Box
	Dims                      [3]int32
	Volumes                   int32
	Limit                     float64
}

// lowrankRoom is the memory that a block of the kernel of patches uses.
type lowrankRoom struct {
	row, size, chunk int   // values of a place; rows of a Gram matrix, and of values in shared memory
	block            int64 // numbers of scratch memory; 0 if all fits into shared memory
	shared           int   // bytes
}

// lowrankMemory is of a device with so much shared memory.
func lowrankMemory(p lowrank.Part, shared int) lowrankRoom {
	m := lowrankRoom{row: p.Volumes + 1, size: min(p.Volumes, p.Width[0]*p.Width[1]*p.Width[2])}
	m.chunk = min(max(1024/m.size, 4), 16)
	matrices := m.size*(m.size+1)/2 + (m.size*m.size+1)/2
	m.shared = 8 * ((p.Volumes+1)/2 + m.chunk*m.size)
	if all := m.shared + 8*matrices; all <= max(shared, 64<<10)-lowrankStatic {
		m.shared = all
	} else {
		m.block = int64(matrices)
	}
	return m
}

// weights returns the bytes of the weights of the places of a region.
func (m lowrankRoom) weights(region [3]int) int64 {
	return (4*int64(region[0]/m.row)*int64(region[1])*int64(region[2]) + 255) &^ 255
}

func lowrankPatches(program denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
	p := program.Params.(lowrank.Part)
	m := lowrankMemory(p, part.Shared)
	if m.size > lowrankSize || p.Volumes > lowrankVolumes {
		return nil, fmt.Errorf("patches of %v voxels in %d volumes are too large for the GPU", p.Width, p.Volumes)
	}
	args := lowrankParams{
		In: NewBox(part.Inputs[0]), Out: part.OutBox(), Weight: part.Scratch, Block: uint64(m.block),
		Volumes: int32(p.Volumes), Width: indices(p.Width), Size: int32(m.size), Chunk: int32(m.chunk),
	}
	if m.block > 0 {
		args.Scratch = part.Scratch + uint64(m.weights(part.Region.Dims()))
	}
	voxels := Launch{
		Module: "lowrank", Grid: Grid([3]int{part.Region.Voxels(), 1, 1}, [3]int{lowrankThreads, 1, 1}), Block: [3]int{lowrankThreads, 1, 1}, Args: Pack(args),
	}
	first, last := voxels, voxels
	first.Kernel, last.Kernel = "lowrank_clear", "lowrank_average"
	launches := []Launch{first}
	colours := func(axis int) []lowrank.Starts { return p.Colours(axis, part.Region.Min[axis], part.Region.Max[axis]) }
	across := p.Colours(0, 0, p.Dims[0])
	for _, z := range colours(2) {
		for _, y := range colours(1) {
			for _, x := range across {
				args.Starts = [3]lowrank.Starts{x, y, z}
				l := voxels
				l.Kernel, l.Shared, l.Args = "lowrank_patches", m.shared, Pack(args)
				l.Grid[0] = int(x.Count) * int(y.Count) * int(z.Count)
				if m.block > 0 {
					l.Grid[0] = min(l.Grid[0], lowrankBlocks)
				}
				launches = append(launches, l)
			}
		}
	}
	return append(launches, last), nil
}

// lowrankLimit returns the launches of a kernel with a thread for each voxel.
func lowrankLimit(kernel string) func(denoise.Program, denoise.Pass, Part) ([]Launch, error) {
	return func(program denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
		p := program.Params.(lowrank.Part)
		in := slices.Concat(part.Inputs, []Buffer{{}})
		args := lowrankLimitParams{
			In: NewBox(in[0]), Estimates: NewBox(in[1]), Marks: NewBox(in[2]), Out: part.OutBox(),
			Dims: indices([3]int{part.Dims[0] / (p.Volumes + 1), part.Dims[1], part.Dims[2]}), Volumes: int32(p.Volumes), Limit: p.Limit,
		}
		return []Launch{{
			Module: "lowrank", Kernel: kernel,
			Grid: Grid([3]int{part.Region.Voxels(), 1, 1}, [3]int{lowrankThreads, 1, 1}), Block: [3]int{lowrankThreads, 1, 1}, Args: Pack(args),
		}}, nil
	}
}
