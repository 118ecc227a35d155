package codec

import (
	"errors"
	"fmt"
)

// decodeLossless decodes a lossless scan of one component (T.81 annex H): each pixel
// is a prediction from earlier pixels plus a Huffman-coded difference, modulo 2^16.
func (f *jpegFrame) decodeLossless(out []uint16, scan []byte) error {
	table := f.dc[f.dcTable]
	switch {
	case table == nil:
		return errors.New("the scan's Huffman table is missing")
	case f.start < 1 || f.start > 7:
		return fmt.Errorf("predictor %d is not defined", f.start)
	case f.pointTransform >= f.precision:
		return fmt.Errorf("point transform %d of %d bits", f.pointTransform, f.precision)
	case f.restartInterval%f.cols != 0:
		return errors.New("a restart interval ends within a row") // T.81 H.1.1 forbids it
	}
	rowsPerRestart := f.restartInterval / f.cols
	middle := uint16(1) << (f.precision - f.pointTransform - 1)
	r := &bitReader{data: scan}
	for y := range f.rows {
		firstRow := y == 0 // of the image or after a restart marker
		if rowsPerRestart > 0 && y > 0 && y%rowsPerRestart == 0 {
			if err := r.restart(y/rowsPerRestart - 1); err != nil {
				return err
			}
			firstRow = true
		}
		row := out[y*f.cols : (y+1)*f.cols]
		if err := r.differences(row, table); err != nil {
			return err
		}
		switch {
		case firstRow: // predicted from the pixel to the left
			row[0] += middle
			for x := 1; x < len(row); x++ {
				row[x] += row[x-1]
			}
		default:
			predict(f.start, row, out[(y-1)*f.cols:y*f.cols])
		}
		if r.ended() {
			return errTruncated
		}
	}
	if f.pointTransform > 0 {
		for i := range out {
			out[i] <<= f.pointTransform
		}
	}
	return nil
}

// differences decodes the differences of one row (H.1.2.2).
func (r *bitReader) differences(row []uint16, table *huffman) error {
	for x := range row {
		n, err := r.symbol(table)
		if err != nil {
			return err
		}
		switch {
		case n < 16:
			row[x] = uint16(r.extend(n))
		case n == 16:
			row[x] = 1 << 15
		default:
			return errNoCode
		}
	}
	return nil
}

// predict adds the prediction to each difference in row. Predictors 1 to 7 of T.81
// table H.1 use the pixels to the left, above and above left; the first pixel of a row
// is predicted from the one above.
func predict(predictor int, row, above []uint16) {
	row[0] += above[0]
	above = above[:len(row)]
	switch predictor {
	case 1:
		for x := 1; x < len(row); x++ {
			row[x] += row[x-1]
		}
	case 2:
		for x := 1; x < len(row); x++ {
			row[x] += above[x]
		}
	case 3:
		for x := 1; x < len(row); x++ {
			row[x] += above[x-1]
		}
	case 4:
		for x := 1; x < len(row); x++ {
			row[x] += row[x-1] + above[x] - above[x-1]
		}
	case 5:
		for x := 1; x < len(row); x++ {
			row[x] += uint16(int32(row[x-1]) + (int32(above[x])-int32(above[x-1]))>>1)
		}
	case 6:
		for x := 1; x < len(row); x++ {
			row[x] += uint16(int32(above[x]) + (int32(row[x-1])-int32(above[x-1]))>>1)
		}
	case 7:
		for x := 1; x < len(row); x++ {
			row[x] += uint16((int32(row[x-1]) + int32(above[x])) >> 1)
		}
	}
}
