package codec

import "errors"

// zigzag maps a coefficient's index in the stream to its index in the block, row by
// row (T.81 figure A.6).
var zigzag = [64]int{
	0, 1, 8, 16, 9, 2, 3, 10,
	17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34,
	27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36,
	29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46,
	53, 60, 61, 54, 47, 55, 62, 63,
}

// decodeDCT decodes a sequential DCT scan of one component (T.81 annex F).
func (f *jpegFrame) decodeDCT(out []uint16, scan []byte) error {
	dc, ac, q := f.dc[f.dcTable], f.ac[f.acTable], f.quantisers[f.quantiser]
	if dc == nil || ac == nil || q == nil {
		return errors.New("one of the scan's tables is missing")
	}
	r := &bitReader{data: scan}
	across, down := (f.cols+7)/8, (f.rows+7)/8
	var last int32 // DC coefficient of the previous block
	for i := range across * down {
		if f.restartInterval > 0 && i > 0 && i%f.restartInterval == 0 {
			if err := r.restart(i/f.restartInterval - 1); err != nil {
				return err
			}
			last = 0
		}
		var block [64]int32
		if err := r.block(&block, dc, ac, q, &last); err != nil {
			return err
		}
		if r.ended() {
			return errTruncated
		}
		inverseDCT(&block, f.precision)
		f.place(out, &block, i%across*8, i/across*8)
	}
	return nil
}

// block decodes the coefficients of one block and dequantises them.
func (r *bitReader) block(b *[64]int32, dc, ac *huffman, q *[64]int32, last *int32) error {
	n, err := r.symbol(dc)
	if err != nil {
		return err
	}
	if n > 15 {
		return errNoCode
	}
	*last += r.extend(n)
	b[0] = *last * q[0]
	for k := 1; k < 64; k++ {
		s, err := r.symbol(ac)
		if err != nil {
			return err
		}
		run, n := s>>4, s&15
		if n == 0 {
			if run < 15 { // end of block
				return nil
			}
			k += 15
			continue
		}
		if k += run; k > 63 {
			return errNoCode
		}
		b[zigzag[k]] = r.extend(n) * q[k]
	}
	return nil
}

// place adds the level shift, clamps, and copies the part of a block that is inside the
// image.
func (f *jpegFrame) place(out []uint16, b *[64]int32, x0, y0 int) {
	shift, most := int32(1)<<(f.precision-1), int32(1)<<f.precision-1
	for y := y0; y < min(y0+8, f.rows); y++ {
		row := out[y*f.cols:]
		for x := x0; x < min(x0+8, f.cols); x++ {
			row[x] = uint16(min(max(b[(y-y0)*8+x-x0]+shift, 0), most))
		}
	}
}

// The inverse DCT of C. Loeffler, A. Ligtenberg and G. S. Moschytz, "Practical fast
// 1-D DCT algorithms with 11 multiplications", ICASSP 1989, in integers. It gives the
// same bits as the IJG's reference decoder: constants have 13 fractional bits, and
// values between columns and rows have 2 more bits for 8-bit images, 1 for 12-bit ones.
const (
	constantBits = 13

	fix0298 = 2446  // 0.298631336
	fix0390 = 3196  // 0.390180644
	fix0541 = 4433  // 0.541196100
	fix0765 = 6270  // 0.765366865
	fix0899 = 7373  // 0.899976223
	fix1175 = 9633  // 1.175875602
	fix1501 = 12299 // 1.501321110
	fix1847 = 15137 // 1.847759065
	fix1961 = 16069 // 1.961570560
	fix2053 = 16819 // 2.053119869
	fix2562 = 20995 // 2.562915447
	fix3072 = 25172 // 3.072711026
)

// inverseDCT transforms a block in place.
func inverseDCT(b *[64]int32, precision int) {
	extra := 2
	if precision > 8 {
		extra = 1
	}
	for x := range 8 {
		inverseDCT8(b[x:], 8, constantBits-extra)
	}
	for y := range 8 {
		inverseDCT8(b[8*y:], 1, constantBits+extra+3)
	}
}

// inverseDCT8 transforms the eight values b[0], b[stride], ..., divides them by 2^shift
// and rounds.
func inverseDCT8(b []int32, stride, shift int) {
	var in [8]int64
	for i := range in {
		in[i] = int64(b[i*stride])
	}
	// Even part: a rotation of 2 and 6, a butterfly of 0 and 4.
	z := (in[2] + in[6]) * fix0541
	e2, e3 := z-in[6]*fix1847, z+in[2]*fix0765
	e0, e1 := (in[0]+in[4])<<constantBits, (in[0]-in[4])<<constantBits
	even := [4]int64{e0 + e3, e1 + e2, e1 - e2, e0 - e3}

	// Odd part.
	z5 := (in[7] + in[3] + in[5] + in[1]) * fix1175
	z1, z2 := (in[7]+in[1])*-fix0899, (in[5]+in[3])*-fix2562
	z3, z4 := (in[7]+in[3])*-fix1961+z5, (in[5]+in[1])*-fix0390+z5
	odd := [4]int64{
		in[1]*fix1501 + z1 + z4,
		in[3]*fix3072 + z2 + z3,
		in[5]*fix2053 + z2 + z4,
		in[7]*fix0298 + z1 + z3,
	}
	half := int64(1) << (shift - 1)
	for i := range 4 {
		b[i*stride] = int32((even[i] + odd[i] + half) >> shift)
		b[(7-i)*stride] = int32((even[i] - odd[i] + half) >> shift)
	}
}
