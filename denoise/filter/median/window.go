package median

import (
	"math"
	"math/bits"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

var tileSize = [3]int{32, 8, 4}

// worker computes the medians of a tile. Every voxel of the tile and around it has a rank. The ranks in the
// neighbourhood are a set of bits, which gains and loses a column from one voxel to the next. Its middle is found from
// the middle before (Huang, Yang and Tang 1979, with a bit for a voxel in place of a histogram).
type worker struct {
	Params
	in, out denoise.Field
	box     volume.Region // of the ranks
	keys    []uint64      // sorted: the order of a value, then its place in the box
	spare   []uint64
	rank    []int32 // of a voxel of the box; -1 if it is excluded
	starts  []int   // of the rows of a neighbourhood in rank
	set     set
}

func start(p Params, in, out denoise.Field) func() denoise.Worker {
	return func() denoise.Worker { return (&worker{Params: p, in: in, out: out}).run }
}

func (w *worker) run(t volume.Region, stop func() bool) {
	w.sort(w.in.Around(t, w.Radius))
	for z := t.Min[2]; z < t.Max[2]; z++ {
		for y := t.Min[1]; y < t.Max[1]; y++ {
			if stop() {
				return
			}
			w.row(volume.Region{Min: [3]int{t.Min[0], y, z}, Max: [3]int{t.Max[0], y + 1, z + 1}})
		}
	}
}

// sort ranks the voxels of a box that are not excluded, equal values by their places: -0 comes before 0.
func (w *worker) sort(box volume.Region) {
	d := box.Dims()
	w.box, w.rank = box, tile.Resize(w.rank, d[0]*d[1]*d[2])
	w.keys = tile.Resize(w.keys, len(w.rank))[:0]
	place := 0
	for z := box.Min[2]; z < box.Max[2]; z++ {
		for y := box.Min[1]; y < box.Max[1]; y++ {
			from := w.in.Index(box.Min[0], y, z)
			for x, v := range w.in.Data[from : from+d[0]] {
				if w.rank[place] = -1; w.in.Valid(from + x) {
					w.keys = append(w.keys, uint64(order(v))<<32|uint64(place))
				}
				place++
			}
		}
	}
	w.spare = tile.Resize(w.spare, len(w.keys))
	for shift := 32; shift < 64; shift += 8 { // radix sort; places are in order
		var next [257]int
		for _, k := range w.keys {
			next[k>>shift&255+1]++
		}
		for i := range 256 {
			next[i+1] += next[i]
		}
		for _, k := range w.keys {
			digit := k >> shift & 255
			w.spare[next[digit]] = k
			next[digit]++
		}
		w.keys, w.spare = w.spare, w.keys
	}
	for rank, k := range w.keys {
		w.rank[uint32(k)] = int32(rank)
	}
}

// order maps a value to a number in the same order, and valueOf maps it back.
func order(v float32) uint32 {
	b := math.Float32bits(v)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

func valueOf(order uint32) float32 {
	return math.Float32frombits(order ^ (^uint32(int32(order)>>31) | 1<<31))
}

// row computes a row of voxels.
func (w *worker) row(row volume.Region) {
	rows, d := w.in.Around(row, w.Radius), w.box.Dims()
	w.starts = w.starts[:0]
	for z := rows.Min[2]; z < rows.Max[2]; z++ {
		for y := rows.Min[1]; y < rows.Max[1]; y++ {
			w.starts = append(w.starts, ((z-w.box.Min[2])*d[1]+y-w.box.Min[1])*d[0]-w.box.Min[0])
		}
	}
	w.set.reset(len(w.keys))
	to := w.out.Index(row.Min[0], row.Min[1], row.Min[2])
	first, last := rows.Min[0], rows.Min[0] // columns of the set
	for x := row.Min[0]; x < row.Max[0]; x++ {
		for ; last < min(x+w.Radius[0]+1, rows.Max[0]); last++ {
			for _, at := range w.starts {
				w.set.add(w.rank[at+last])
			}
		}
		for ; first < x-w.Radius[0]; first++ {
			for _, at := range w.starts {
				w.set.remove(w.rank[at+first])
			}
		}
		if i := to + x - row.Min[0]; w.out.Valid(i) {
			low, high := w.set.middle()
			a := valueOf(uint32(w.keys[low] >> 32))
			if high != low {
				a = float32((float64(a) + float64(valueOf(uint32(w.keys[high]>>32)))) / 2)
			}
			w.out.Data[i] = a
		}
	}
}

// set is a set of ranks.
type set struct {
	words []uint64
	n     int
	at    int // a word
	below int // members in the words before it
}

// reset empties the set, for ranks below n.
func (s *set) reset(n int) {
	*s = set{words: tile.Resize(s.words, (n+63)/64)}
	clear(s.words)
}

// add adds a rank that is no member; nothing if it is negative.
func (s *set) add(rank int32) {
	if rank < 0 {
		return
	}
	s.words[rank>>6] |= 1 << (rank & 63)
	s.n++
	s.below -= (int(rank>>6) - s.at) >> 63 // +1 if the word is before at, without a branch
}

// remove removes a member.
func (s *set) remove(rank int32) {
	if rank < 0 {
		return
	}
	s.words[rank>>6] &^= 1 << (rank & 63)
	s.n--
	s.below += (int(rank>>6) - s.at) >> 63
}

// middle returns the two members in the middle, or twice the one. The set is not empty.
func (s *set) middle() (low, high int) {
	k := (s.n - 1) / 2
	for s.below > k {
		s.at--
		s.below -= bits.OnesCount64(s.words[s.at])
	}
	for {
		n := bits.OnesCount64(s.words[s.at])
		if s.below+n > k {
			break
		}
		s.below += n
		s.at++
	}
	word := s.words[s.at]
	for range k - s.below {
		word &= word - 1
	}
	low = s.at<<6 + bits.TrailingZeros64(word)
	if s.n%2 == 1 {
		return low, low
	}
	at := s.at
	for word &= word - 1; word == 0; word = s.words[at] {
		at++
	}
	return low, at<<6 + bits.TrailingZeros64(word)
}
