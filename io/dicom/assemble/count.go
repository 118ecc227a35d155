package assemble

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"quell/io/dicom/instance"
)

// count is the number of the volume that each slice belongs to, from instance numbers or
// times. A slice that is missing leaves a gap in the count: the slices after it keep their
// volumes. Slices that do not fit the count are in no volume.
type count map[*instance.Slice]int

// numbered is a slice with its number and the index of its position.
type numbered struct {
	slice  *instance.Slice
	number int
	at     int
}

// countVolumes finds how the slices of a series are counted; nil if neither numbers nor
// times say. A count that fits every slice is preferred to one that a few do not fit.
func countVolumes(images []*instance.Slice) count {
	positions := positionsOf(images)
	most := mostAt(positions)
	if most < 2 || shareFew(positions) {
		return nil
	}
	numbers, frames := numbersOf(images)
	if frames { // a frame that is missing leaves no gap in their numbers
		if c := countRuns(images, instance.CompareAcquired); c != nil && c.wholes(len(positions)) {
			return c
		}
		return countByOrder(positions)
	}
	all := make([]numbered, 0, len(images))
	for i, at := range positions {
		for _, s := range at {
			all = append(all, numbered{s, numbers[s], i})
		}
	}
	first := images[0]
	for _, stray := range []int{0, max(1, len(images)/20)} {
		if numbers != nil {
			if c := countLabels(all); c != nil {
				return c
			}
			var best count
			least := math.MaxInt // incomplete blocks
			for _, n := range distinctSizes(len(positions), first.PerVolume, len(positions)+1) {
				if c, incomplete := countByVolume(all, n, len(positions), stray, true); c != nil && incomplete < least {
					best, least = c, incomplete
				}
			}
			for _, n := range distinctSizes(most, first.Volumes, most-1, most+1, numbersPerPosition(all)) {
				if c, incomplete := countByPosition(all, n, stray); c != nil && incomplete < least {
					best, least = c, incomplete
				}
			}
			if best != nil {
				return best
			}
		}
		if c := countByTime(positions, stray); c != nil {
			return c
		}
		if c := countByOrder(positions); c != nil {
			return c
		}
	}
	return nil
}

// numbersPerPosition returns the usual difference between the lowest numbers of positions
// that follow each other in the count: more than they have slices if other series were
// counted along.
func numbersPerPosition(all []numbered) int {
	lowest := map[int]int{}
	for _, s := range all {
		if n, ok := lowest[s.at]; !ok || s.number < n {
			lowest[s.at] = s.number
		}
	}
	sorted := slices.Sorted(maps.Values(lowest))
	var steps []float64
	for i := 1; i < len(sorted); i++ {
		steps = append(steps, float64(sorted[i]-sorted[i-1]))
	}
	if steps == nil {
		return 0
	}
	return int(median(steps))
}

// distinctSizes returns the positive numbers, each once.
func distinctSizes(n ...int) (out []int) {
	for _, v := range n {
		if v > 0 && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// numbersOf returns the instance numbers of slices, nil if all have one number, and whether
// they are the frames of one file.
func numbersOf(images []*instance.Slice) (numbers map[*instance.Slice]int, frames bool) {
	oneFile := !slices.ContainsFunc(images, func(s *instance.Slice) bool { return s.Instance != images[0].Instance })
	numbers = make(map[*instance.Slice]int, len(images))
	differ := false
	for _, s := range images {
		numbers[s] = s.Number
		differ = differ || s.Number != images[0].Number
	}
	if !differ {
		return nil, oneFile
	}
	return numbers, false
}

// wholes reports whether every volume has more than half of n slices.
func (c count) wholes(n int) bool {
	sizes := map[int]int{}
	for _, v := range c {
		sizes[v]++
	}
	for _, size := range sizes {
		if 2*size <= n {
			return false
		}
	}
	return true
}

// countLabels reads numbers that the slices of a volume share.
func countLabels(all []numbered) count {
	type place struct{ number, at int }
	seen, byNumber := map[place]bool{}, map[int]int{}
	for _, s := range all {
		if seen[place{s.number, s.at}] {
			return nil
		}
		seen[place{s.number, s.at}] = true
		byNumber[s.number]++
	}
	sizes := slices.Collect(maps.Values(byNumber))
	if slices.Max(sizes) < 2 || mostlySmall(sizes) {
		return nil
	}
	c := count{}
	for _, s := range all {
		c[s.slice] = s.number
	}
	return c
}

// countByVolume reads numbers that count the n positions of a volume before those of the
// next: the remainder by n names the position. stray is how many slices may lie elsewhere.
// It returns how many volumes lack slices too.
func countByVolume(all []numbered, n, positions, stray int, fromOne bool) (count, int) {
	if n < 2 || n < positions {
		return nil, 0
	}
	votes := map[[2]int]int{} // of remainder and position
	for _, s := range all {
		votes[[2]int{remainder(s.number, n), s.at}]++
	}
	at := make([]int, n) // the position of each remainder
	for r := range at {
		at[r] = -1
	}
	owner := make([]int, positions)
	for i := range owner {
		owner[i] = -1
	}
	for _, pair := range slices.SortedFunc(maps.Keys(votes), func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), slices.Compare(a[:], b[:]))
	}) {
		if r, p := pair[0], pair[1]; at[r] < 0 && owner[p] < 0 {
			at[r], owner[p] = p, r
		}
	}
	var fit []numbered
	for _, s := range all {
		if at[remainder(s.number, n)] == s.at {
			fit = append(fit, s)
		}
	}
	if len(all)-len(fit) > stray {
		return nil, 0
	}
	start, incomplete, _ := firstOfBlock(fit, n, fromOne, func(start int) (ok, likely bool) { return true, endToEnd(at, remainder(start, n)) })
	fragments := 0
	sizes := blockSizes(fit, n, start)
	for _, size := range sizes {
		if 2*size < positions {
			fragments++
		}
	}
	if 2*fragments > len(sizes) {
		return nil, 0
	}
	return countOnce(fit, func(s numbered) int { return floorDiv(s.number-start, n) }, len(all)-stray), incomplete
}

// endToEnd reports whether positions follow each other from one end to the other if they
// are taken in turn from a place on; -1 is a position that no slice has.
func endToEnd(at []int, from int) bool {
	last, sign := -1, 0
	for i := range at {
		p := at[(from+i)%len(at)]
		if p < 0 {
			continue
		}
		if last >= 0 {
			if step := cmp.Compare(p, last); sign == 0 {
				sign = step
			} else if step != sign {
				return false
			}
		}
		last = p
	}
	return true
}

// countByPosition reads numbers that count the n volumes at one position before those at
// the next.
func countByPosition(all []numbered, n, stray int) (count, int) {
	if n < 2 {
		return nil, 0
	}
	start, incomplete, ok := firstOfBlock(all, n, true, func(start int) (ok, likely bool) {
		return len(all)-len(blocksOfPositions(all, n, start)) <= stray, true
	})
	if !ok {
		return nil, 0
	}
	return countOnce(blocksOfPositions(all, n, start), func(s numbered) int { return remainder(s.number-start, n) }, len(all)-stray), incomplete
}

// blocksOfPositions returns the slices whose blocks of n numbers each have one position,
// and whose positions have one block.
func blocksOfPositions(all []numbered, n, start int) (fit []numbered) {
	at, block := map[int]int{}, map[int]int{}
	for _, s := range all {
		b := floorDiv(s.number-start, n)
		p, known := at[b]
		own, taken := block[s.at]
		if known && p != s.at || taken && own != b {
			continue
		}
		at[b], block[s.at] = s.at, b
		fit = append(fit, s)
	}
	return fit
}

// mostTried bounds the work of finding where blocks begin: places times slices.
const mostTried = 1 << 25

// firstOfBlock returns a number at which a block of n begins; false if check refuses all.
// Of the n possible places it takes one that leaves no block incomplete, else one that check
// calls likely, else 1 (fromOne: numbers that begin in the first block are counted from 1,
// or from 0 if one is 0), else one that leaves the fewest incomplete. It returns how many
// these are too.
func firstOfBlock(all []numbered, n int, fromOne bool, check func(start int) (ok, likely bool)) (start, incomplete int, ok bool) {
	lowest := all[0].number
	for _, s := range all {
		lowest = min(lowest, s.number)
	}
	one := min(lowest, 1)
	fromOne = fromOne && lowest >= 0 && lowest <= n
	type choice struct{ start, incomplete, conventional, likely int }
	var choices []choice
	for k := range min(n, max(1, mostTried/len(all))) {
		start := one + k
		if !fromOne {
			start = lowest - k
		}
		ok, likely := check(start)
		if !ok {
			continue
		}
		c := choice{start: start, conventional: 1, likely: 1}
		for _, size := range blockSizes(all, n, start) {
			if size < n {
				c.incomplete++
			}
		}
		if c.incomplete == 0 {
			return start, 0, true
		}
		if fromOne && k == 0 {
			c.conventional = 0
		}
		if likely {
			c.likely = 0
		}
		choices = append(choices, c)
	}
	if choices == nil {
		return 0, 0, false
	}
	best := slices.MinFunc(choices, func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.likely, b.likely), cmp.Compare(a.conventional, b.conventional), cmp.Compare(a.incomplete, b.incomplete))
	})
	return best.start, best.incomplete, true
}

// blockSizes returns how many slices each block of n numbers has that has any.
func blockSizes(all []numbered, n, start int) map[int]int {
	out := map[int]int{}
	for _, s := range all {
		out[floorDiv(s.number-start, n)]++
	}
	return out
}

// countOnce counts the slices of each volume and position once, the first by number; it
// returns nil if fewer than least are left or all are of one volume.
func countOnce(fit []numbered, volume func(numbered) int, least int) count {
	type place struct{ volume, at int }
	taken := map[place]bool{}
	c := count{}
	lo, hi := math.MaxInt, math.MinInt
	slices.SortStableFunc(fit, func(a, b numbered) int { return acquiredFirst(a.slice, b.slice) })
	for _, s := range fit {
		v := volume(s)
		if taken[place{v, s.at}] {
			continue
		}
		taken[place{v, s.at}] = true
		c[s.slice], lo, hi = v, min(lo, v), max(hi, v)
	}
	if len(c) < least || lo == hi {
		return nil
	}
	return c
}

// countByTime reads times of the slices: each position is acquired once in every period.
func countByTime(positions [][]*instance.Slice, stray int) count {
	for _, clock := range []func(*instance.Slice) float64{acquiredAt, contentAt} {
		if all, n := periods(positions, clock); all != nil {
			if c, _ := countByVolume(all, n, len(positions), stray, false); c != nil {
				return c
			}
		}
	}
	return nil
}

// periods numbers slices by the time of each: period after period, and within a period in
// the order of the positions. It returns nil if times are missing or the positions are not
// acquired once in every period.
func periods(positions [][]*instance.Slice, clock func(*instance.Slice) float64) (all []numbered, n int) {
	var steps []float64
	first := math.Inf(1)
	for _, at := range positions {
		times := make([]float64, len(at))
		for i, s := range at {
			times[i] = clock(s)
			if math.IsNaN(times[i]) {
				return nil, 0
			}
			first = min(first, times[i])
		}
		slices.Sort(times)
		for i := 1; i < len(times); i++ {
			steps = append(steps, times[i]-times[i-1])
		}
	}
	period := median(steps)
	if !(period > 0) {
		return nil, 0
	}
	type offset struct {
		at    int
		value float64
	}
	offsets := make([]offset, len(positions))
	for i, at := range positions {
		// The circular mean of the places of its slices within the period.
		var x, y float64
		for _, s := range at {
			sin, cos := math.Sincos(2 * math.Pi * (clock(s) - first) / period)
			x, y = x+cos, y+sin
		}
		if math.Hypot(x, y) < 0.9*float64(len(at)) {
			return nil, 0
		}
		turn := math.Atan2(y, x) / (2 * math.Pi)
		offsets[i] = offset{i, turn - math.Floor(turn+1e-6)}
	}
	slices.SortFunc(offsets, func(a, b offset) int { return cmp.Compare(a.value, b.value) })
	n = len(positions)
	for k, o := range offsets {
		for _, s := range positions[o.at] {
			turn := math.Round((clock(s)-first)/period - o.value)
			all = append(all, numbered{s, int(turn)*n + k, o.at})
		}
	}
	return all, n
}

func floorDiv(a, n int) int {
	return int(math.Floor(float64(a) / float64(n)))
}

func remainder(a, n int) int { return a - n*floorDiv(a, n) }

// wholeNumbers returns texts as whole numbers; false if one is none.
func wholeNumbers(texts []string) (out []int, ok bool) {
	for _, t := range texts {
		n, err := strconv.Atoi(t)
		if err != nil {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}
