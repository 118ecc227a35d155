package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// lsFrame holds the contents of the marker segments before the scan.
type lsFrame struct {
	precision  int
	rows, cols int
	components int
	near       int // largest error of a pixel (NEAR); 0 for lossless
	interval   int // rows between restart markers; 0 without markers
	preset     lsPreset
}

// lsPreset holds the coding parameters of T.87 C.2.4.1; 0 means the default.
type lsPreset struct {
	maxVal, t1, t2, t3, reset int
}

// decodeJPEGLS decodes a grey image of ITU-T T.87 (ISO/IEC 14495-1), lossless or
// near-lossless.
func decodeJPEGLS(stream []byte, info Info) ([]byte, error) {
	var f lsFrame
	scan, err := f.readSegments(stream)
	if err != nil {
		return nil, err
	}
	if err := info.checkShape(f.rows, f.cols, f.components, f.precision); err != nil {
		return nil, err
	}
	if 8*len(scan) < f.rows { // a row takes at least a bit
		return nil, errTruncated
	}
	if err := f.setDefaults(); err != nil {
		return nil, err
	}
	samples := make([]uint16, info.pixels())
	if err := newLSScan(&f, scan).decode(samples, f.interval); err != nil {
		return nil, err
	}
	return pack(info, f.precision, samples), nil
}

// readSegments reads the segments up to the scan header and returns the entropy-coded
// data that follow.
func (f *lsFrame) readSegments(b []byte) (scan []byte, err error) {
	header, scan, err := eachSegment(b, func(mark byte, s []byte) error {
		switch mark {
		case markSOF55:
			return f.readFrame(s)
		case markLSE:
			return f.readPreset(s)
		case markDRI:
			return f.readInterval(s)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return scan, f.readScan(header)
}

// readFrame reads a frame header, which has the layout of T.81 B.2.2.
func (f *lsFrame) readFrame(s []byte) error {
	if len(s) < 6 || f.components > 0 {
		return errors.New("the frame header is damaged")
	}
	f.precision, f.components = int(s[0]), int(s[5])
	f.rows, f.cols = int(binary.BigEndian.Uint16(s[1:])), int(binary.BigEndian.Uint16(s[3:]))
	if f.precision < 2 || f.precision > 16 {
		return fmt.Errorf("the stream has %d bits for a pixel", f.precision)
	}
	return nil
}

// readScan reads a scan header (C.2.3): number and mapping table of the component, then
// NEAR, interleaving and point transform.
func (f *lsFrame) readScan(s []byte) error {
	switch {
	case f.components == 0:
		return errors.New("the stream has no frame header")
	case len(s) < 6 || s[0] != 1:
		return errors.New("the scan is not one of a grey image")
	case s[2] != 0 || s[5] != 0:
		return errors.New("mapping tables and point transforms are not decoded")
	}
	f.near = int(s[3])
	return nil
}

// readInterval reads a DRI segment (C.2.5) of 2 to 4 bytes; T.81 has 2. The unit is a
// row, as in CharLS.
func (f *lsFrame) readInterval(s []byte) error {
	if len(s) < 2 || len(s) > 4 {
		return errors.New("its restart interval is damaged")
	}
	f.interval = 0
	for _, b := range s {
		f.interval = f.interval<<8 | int(b)
	}
	return nil
}

// readPreset reads an LSE segment (C.2.4.1.1).
func (f *lsFrame) readPreset(s []byte) error {
	switch {
	case len(s) > 0 && (s[0] == 2 || s[0] == 3): // C.2.4.1.2
		return errors.New("mapping tables are not decoded")
	case len(s) < 11 || s[0] != 1:
		return errors.New("this type of preset parameters is not decoded")
	}
	at := func(i int) int { return int(binary.BigEndian.Uint16(s[1+2*i:])) }
	f.preset = lsPreset{at(0), at(1), at(2), at(3), at(4)}
	return nil
}

// setDefaults sets parameters that the stream does not give to the defaults of
// C.2.4.1.1.1, and checks the others.
func (f *lsFrame) setDefaults() error {
	p := &f.preset
	if p.maxVal == 0 {
		p.maxVal = 1<<f.precision - 1
	}
	if p.maxVal >= 1<<f.precision || f.near > min(255, p.maxVal/2) {
		return errors.New("its coding parameters contradict each other")
	}
	clamp := func(v, low int) int {
		if v > p.maxVal || v < low {
			return low
		}
		return v
	}
	var d lsPreset
	if p.maxVal >= 128 {
		factor := (min(p.maxVal, 4095) + 128) / 256
		d.t1 = clamp(factor*(3-2)+2+3*f.near, f.near+1)
		d.t2 = clamp(factor*(7-3)+3+5*f.near, d.t1)
		d.t3 = clamp(factor*(21-4)+4+7*f.near, d.t2)
	} else {
		factor := 256 / (p.maxVal + 1)
		d.t1 = clamp(max(2, 3/factor+3*f.near), f.near+1)
		d.t2 = clamp(max(3, 7/factor+5*f.near), d.t1)
		d.t3 = clamp(max(4, 21/factor+7*f.near), d.t2)
	}
	for _, v := range []struct {
		value    *int
		fallback int
	}{{&p.t1, d.t1}, {&p.t2, d.t2}, {&p.t3, d.t3}, {&p.reset, 64}} {
		if *v.value == 0 {
			*v.value = v.fallback
		}
	}
	if p.t1 <= f.near || p.t2 < p.t1 || p.t3 < p.t2 || p.t3 > p.maxVal || p.reset < 3 {
		return errors.New("its coding parameters contradict each other")
	}
	return nil
}

// lsBits reads the bits of a scan. The byte after 0xFF has seven bits, the eighth being
// a stuffed zero (A.1). After the end of the data it returns zeros and counts them.
type lsBits struct {
	data   []byte
	pos    int
	bits   uint64 // the next bits, left-aligned
	n      int    // number of bits in bits
	beyond int    // number of them that are after the end of the data
	after  bool   // the last byte was 0xFF
}

// fill loads bits until there are at least 56. It stops at a marker.
func (r *lsBits) fill() {
	for r.n <= 56 {
		if r.pos >= len(r.data) || r.data[r.pos] == 0xFF && (r.pos+1 >= len(r.data) || r.data[r.pos+1] >= 0x80) {
			r.n += 8
			r.beyond += 8
			continue
		}
		b, width := uint64(r.data[r.pos]), 8
		if r.after {
			width = 7
		}
		r.pos++
		r.after = b == 0xFF
		r.bits |= b << (64 - width - r.n)
		r.n += width
	}
}

// restart skips the i-th restart marker and the unused bits before it.
func (r *lsBits) restart(i int) error {
	const padding = 15 // bits to the end of a byte, and a byte after 0xFF
	if r.fill(); r.ended() || r.n-r.beyond > padding {
		return errRestart
	}
	for r.pos+1 < len(r.data) && r.data[r.pos+1] == 0xFF { // fill bytes
		r.pos++
	}
	if r.pos+1 >= len(r.data) || r.data[r.pos+1] != markRST0+byte(i%8) {
		return errRestart
	}
	*r = lsBits{data: r.data, pos: r.pos + 2}
	return nil
}

func (r *lsBits) ended() bool { return r.n < r.beyond }

// take returns the next n bits, at most 31.
func (r *lsBits) take(n int) int {
	if n == 0 {
		return 0
	}
	if r.n < n {
		r.fill()
	}
	v := int(r.bits >> (64 - n))
	r.bits <<= n
	r.n -= n
	return v
}

// golomb decodes a code of limited length (A.5.3): a unary number in zeros and k bits,
// or, after limit - qbpp - 1 zeros, the value minus one in qbpp bits.
func (r *lsBits) golomb(k, limit, qbpp int) int {
	if r.n < 48 {
		r.fill()
	}
	most := limit - qbpp - 1
	zeros := bits.LeadingZeros64(r.bits)
	if zeros >= r.n || zeros >= most { // a long code, or the end of the data
		return r.longGolomb(k, most, qbpp)
	}
	r.bits <<= zeros + 1
	r.n -= zeros + 1
	return zeros<<k | r.take(k)
}

func (r *lsBits) longGolomb(k, most, qbpp int) int {
	zeros := 0
	for zeros < most && r.take(1) == 0 {
		zeros++
	}
	if zeros < most {
		return zeros<<k | r.take(k)
	}
	r.take(1)
	return r.take(qbpp) + 1
}
