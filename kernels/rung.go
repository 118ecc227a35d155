package kernels

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"quell/denoise"
)

// Rung names a kernel of a ladder: one of the kernels that the papers compare,
// compiled from rungs/*.cu, which computes a filter in place of the kernels that
// ship. The zero Rung stands for these.
type Rung struct {
	Name  string // see RungNames
	Block [3]int // threads of a block along x, y and z, or across the rows of a row kernel; zero: the rung's own
}

// rung describes a kernel of a ladder. All read a field.
type rung struct {
	filter string
	pass   string  // that it computes; the others have the kernels that ship
	block  [3]int  // that the paper begins with; zero: it follows from the recipe
	slower float64 // about how many times slower it is than the kernels that ship
	launch func(p denoise.Program, part Part, f field, block [3]int) ([]Launch, error)

	// scratch, if not nil, returns the bytes of Part.Scratch for a region of those dims.
	scratch func(p denoise.Program, region [3]int) int64
}

// rungs holds the rungs by the name of their kernel.
var rungs = func() map[string]rung {
	all := map[string]rung{}
	maps.Copy(all, nlmRungs())
	maps.Copy(all, bilateralRungs())
	maps.Copy(all, lpaRungs())
	return all
}()

// Slower returns about how many times longer the rung takes than the kernels that ship;
// 1 for the zero Rung.
func (r Rung) Slower() float64 { return max(rungs[r.Name].slower, 1) }

// Scratch is the Scratch of the package for programs that run on the rung, which check
// accepts.
func (r Rung) Scratch(p denoise.Program, volume, region [3]int) int64 {
	most := Scratch(p, volume, region)
	if k, ok := rungs[r.Name]; ok && k.scratch != nil {
		most = max(most, k.scratch(p, region))
	}
	return most
}

// RungNames returns the rungs of a filter, sorted.
func RungNames(filter string) []string {
	names := slices.Sorted(maps.Keys(rungs))
	return slices.DeleteFunc(names, func(name string) bool { return rungs[name].filter != filter })
}

// maxThreads is the limit of CUDA for a block: in all, and along x, y and z.
const maxThreads = 1024

var maxBlock = [3]int{1024, 1024, 64}

// CheckBlock reports why a block cannot have that shape.
func CheckBlock(block [3]int) error {
	threads := 1
	for c, n := range block {
		if n < 1 || n > maxBlock[c] {
			return fmt.Errorf("a block of %dx%dx%d threads: 1 to %d along axis %d", block[0], block[1], block[2], maxBlock[c], c)
		}
		threads *= n
	}
	if threads > maxThreads {
		return fmt.Errorf("a block of %dx%dx%d threads has more than %d", block[0], block[1], block[2], maxThreads)
	}
	return nil
}

// Check is the Check of the package for programs that run on the rung.
func (r Rung) Check(p denoise.Program) error {
	if r == (Rung{}) {
		return Check(p)
	}
	return check(p, r.Launches)
}

// Launches is the Launches of the package for programs that run on the rung.
func (r Rung) Launches(p denoise.Program, pass denoise.Pass, part Part) ([]Launch, error) {
	if r == (Rung{}) {
		return Launches(p, pass, part)
	}
	k, ok := rungs[r.Name]
	switch {
	case !ok:
		return nil, fmt.Errorf("no rung is called %q: %w", r.Name, denoise.ErrUnsupported)
	case k.filter != p.Recipe.Filter || !slices.ContainsFunc(p.Passes, func(pass denoise.Pass) bool { return pass.Name == k.pass }):
		return nil, fmt.Errorf("%s is a rung of pass %q of %s, which the recipe of %s does not have: %w", r.Name, k.pass, k.filter, p.Recipe.Filter, denoise.ErrUnsupported)
	case pass.Name != k.pass:
		return Launches(p, pass, part)
	}
	block := r.Block
	if block == [3]int{} {
		block = k.block
	}
	if err := CheckBlock(block); err != nil && block != [3]int{} {
		return nil, fmt.Errorf("%s: %w: %w", r.Name, err, denoise.ErrUnsupported)
	}
	return launchesBy(p, pass, part, Pass{WholeSlices: true, Launches: func(p denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
		f, err := newField(part)
		if err != nil {
			return nil, err
		}
		return k.launch(p, part, f, block)
	}})
}

// maxTexture is the largest height in texels of a two-dimensional texture of an array
// on every device; its width may be as large.
const maxTexture = 65536

// textureOf returns a texture of the slices of a field, one below the other.
func textureOf(f field) (*Texture, error) {
	t := &Texture{Address: f.In, Width: int(f.Dims[0]), Height: int(f.Dims[1]) * int(f.Slices)}
	if t.Width > maxTexture || t.Height > maxTexture {
		return nil, fmt.Errorf("a texture has up to %dx%d texels, and %dx%d are needed", maxTexture, maxTexture, t.Width, t.Height)
	}
	return t, nil
}

// maxShared is the shared memory of a block on the devices that have least of it.
const maxShared = 64 << 10

// tileLaunch returns a launch with a tile in shared memory: the voxels of a block with
// an apron. planes, if above 0, replaces the block's voxels along z.
func tileLaunch(l Launch, apron [3]int32, planes int) (Launch, error) {
	d := l.Block[2] + 2*int(apron[2])
	if planes > 0 {
		d = planes
	}
	l.Shared = 4 * (l.Block[0] + 2*int(apron[0])) * (l.Block[1] + 2*int(apron[1])) * d
	if l.Shared > maxShared {
		return l, fmt.Errorf("a block of %dx%dx%d threads with its apron needs %d KB of shared memory, and there are %d", l.Block[0], l.Block[1], l.Block[2], l.Shared>>10, maxShared>>10)
	}
	return l, nil
}

var errMasked = errors.New("the rung takes no mask")
