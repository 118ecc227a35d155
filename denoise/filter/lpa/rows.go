package lpa

// lanes is how many pixels the vector code computes at once.
const lanes = 4

// row is what the pixels of a row have in common if no ray leaves the slice along x:
// the length and the tables of their rays. rows_amd64.s relies on the layout of its
// parts.
type row struct {
	rays   [len(directions)]ray
	scales []scale   // of the first ray, then of the second, ...
	taps   []float64 // the weights of every scale
	first  []int     // of each scale in taps
	diffs  []float64 // v_j - v_0, of lanes pixels side by side
	count  int       // scales of a ray
}

// ray is the place at which the samples of a direction are.
type ray struct {
	step    int // from one to the next, in voxels of the input
	samples int // from the pixel itself up to the edge of the slice or the longest scale
}

// scale is a scale on a ray: what the function mean computes with it.
type scale struct {
	taps         int // position of its weights
	samples      int
	sum, half, q float64
}

// reset takes the weights of all scales.
func (r *row) reset(tables []table) {
	r.count = len(tables)
	r.scales = make([]scale, len(directions)*r.count)
	for _, t := range tables {
		r.first = append(r.first, len(r.taps))
		r.taps = append(r.taps, t.g...)
	}
	r.diffs = make([]float64, lanes*len(tables[len(tables)-1].g))
}

// direct sets the rays of direction d: samples voxels, step apart in the input.
func (r *row) direct(d, step, samples int, tables []table) {
	r.rays[d] = ray{step: step, samples: samples}
	for s := range tables {
		t := &tables[s]
		n := min(samples, len(t.g))
		r.scales[d*r.count+s] = scale{taps: r.first[s], samples: n, sum: t.sum[n], half: t.half[n], q: t.q[n]}
	}
}
