package kernels

import (
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// An instruction of a kernel's machine code.
type instruction struct {
	address int
	op      string // without modifiers: "LDG"
	target  int    // of a branch, -1 for others
}

var (
	functionLine    = regexp.MustCompile(`Function : (\S+)`)
	instructionLine = regexp.MustCompile(`^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?\S+\s+)?([A-Z0-9]+)\S*(.*)`)
	targetPart      = regexp.MustCompile(`0x([0-9a-f]+)`)
)

// machineCode returns the instructions of the kernels of a module for compute capability
// 9.0, by name.
func machineCode(t *testing.T, module string) map[string][]instruction {
	t.Helper()
	for _, tool := range []string{"cuobjdump", "nvdisasm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s of the CUDA toolkit is not installed", tool)
		}
	}
	out, err := exec.Command("cuobjdump", "-sass", "-arch", "sm_90", module+".fatbin").Output()
	if err != nil {
		t.Fatal(err)
	}
	code, kernel := map[string][]instruction{}, ""
	for line := range strings.Lines(string(out)) {
		if m := functionLine.FindStringSubmatch(line); m != nil {
			kernel = m[1]
			continue
		}
		m := instructionLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		in := instruction{op: m[2], target: -1}
		at, _ := strconv.ParseInt(m[1], 16, 64)
		in.address = int(at)
		if to := targetPart.FindStringSubmatch(m[3]); in.op == "BRA" && to != nil {
			at, _ = strconv.ParseInt(to[1], 16, 64)
			in.target = int(at)
		}
		code[kernel] = append(code[kernel], in)
	}
	return code
}

// busiest returns the innermost loop with the most loads, and their number by kind.
func busiest(code []instruction) (loop []instruction, loads map[string]int) {
	index := map[int]int{}
	var loops [][2]int
	for i, in := range code {
		index[in.address] = i
		if from, ok := index[in.target]; ok && in.target >= 0 {
			loops = append(loops, [2]int{from, i})
		}
	}
	most := 0
	for _, l := range loops {
		inner := true
		for _, o := range loops {
			inner = inner && (o == l || o[0] < l[0] || o[1] > l[1])
		}
		kinds, n := map[string]int{}, 0
		for _, in := range code[l[0] : l[1]+1] {
			switch in.op {
			case "LDG", "LDS", "TEX", "LDL":
				kinds[in.op]++
				n++
			}
		}
		if inner && n > most {
			loop, loads, most = code[l[0]:l[1]+1], kinds, n
		}
	}
	return loop, loads
}

// The kernels that the papers compare differ in the memory that they read, and not in the
// arithmetic of their addresses: the instructions of a naive kernel for a voxel of a patch, or
// of a window, is at most a fifth more than what the one that prefetches executes. A
// fetch of a texture needs its coordinates in neighbouring registers, which costs moves.
func TestInstructionsOfRungs(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	nlm, bilateral, group := machineCode(t, "rungs/nlm"), machineCode(t, "rungs/bilateral"), machineCode(t, "rungs/nlm_group")
	for _, c := range []struct {
		code   map[string][]instruction
		kernel string
		voxels int     // of a patch or a window, in one pass of the loop
		kind   string  // of its loads, nearly all
		loads  float64 // for each voxel
		least  float64 // instructions for each voxel
		most   float64
	}{
		{nlm, "nlm_formula_2d_p3", 49, "LDG", 2, 6.1, 6.9},
		{nlm, "nlm_shared_2d_p3", 49, "LDS", 2, 5.8, 6.5},
		{nlm, "nlm_formula_texture_2d_p3", 49, "TEX", 2, 8, 9.9},
		{nlm, "nlm_shared_texture_2d_p3", 49, "LDS", 2, 5.8, 6.5},
		{nlm, "nlm_formula_3d_p1", 27, "LDG", 2, 7, 8.9},
		{nlm, "nlm_shared_3d_p1", 27, "LDS", 2, 7, 7.5},
		{nlm, "nlm_formula_3d_p2", 125, "LDG", 2, 6, 6.8},
		{nlm, "nlm_column_3d_p2", 125, "LDS", 2, 6, 6.5},
		{group, "nlm_group_p2_s4", 125, "LDS", 1.4, 4.9, 5.5},
		{group, "nlm_group_all_p2_s4", 125, "LDS", 1.4, 5, 5.5}, // part of the voxel's own patch stays in registers
		{bilateral, "bilateral_constant", 4, "LDG", 1, 14, 16.5},
		{bilateral, "bilateral_shared", 4, "LDS", 1, 14, 15},
		{bilateral, "bilateral_constant_texture", 4, "TEX", 1, 17, 19.5},
		{bilateral, "bilateral_shared_texture", 4, "LDS", 1, 14, 15},
		// The other reading, which computes the address of each voxel, mirrored. The
		// branch that it rarely takes is among them.
		{nlm, "nlm_indexed_2d_p3", 1, "LDG", 2, 150, 250},
		{nlm, "nlm_indexed_3d_p1", 1, "LDG", 2, 150, 260},
	} {
		loop, loads := busiest(c.code[c.kernel])
		each := float64(len(loop)) / float64(c.voxels)
		if got := float64(loads[c.kind]) / float64(c.voxels); math.Abs(got-c.loads) > 0.1*c.loads {
			t.Errorf("%s: %.2f loads (%s) a voxel, want %g: %v", c.kernel, got, c.kind, c.loads, loads)
		}
		if each < c.least || each > c.most {
			t.Errorf("%s: %.2f instructions a voxel, want %g to %g", c.kernel, each, c.least, c.most)
		}
		t.Logf("%-28s %6.2f instructions a voxel, loads %v", c.kernel, each, loads)
	}
	for naive, prefetched := range map[string]string{"nlm_formula_2d_p3": "nlm_shared_2d_p3", "nlm_formula_3d_p1": "nlm_shared_3d_p1"} {
		a, _ := busiest(nlm[naive])
		b, _ := busiest(nlm[prefetched])
		if x := float64(len(a)) / float64(len(b)); x > 1.2 {
			t.Errorf("%s executes %.2f times as many instructions as %s", naive, x, prefetched)
		}
	}
}
