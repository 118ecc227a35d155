package volume

// Extract returns the values that the view shows at slice index: Size[0] *
// Size[1] of them, row by row from the top left. dst is reused if it is large
// enough, so that a viewer that passes its last result does not allocate.
//
// v is the volume that the view was made from. For a volume that holds only
// w.Region(index), such as the result of a preview, use
//
//	w.Of(v.Geometry).Extract(dst, v, 0)
func (w View) Extract(dst []float32, v *Volume, index int) []float32 {
	return extract(dst, v.Data, w, v.Geometry, index)
}

// ExtractMask is Extract for the mask; nil if every voxel is valid.
func (w View) ExtractMask(dst []bool, v *Volume, index int) []bool {
	if v.Mask == nil {
		return nil
	}
	return extract(dst, v.Mask, w, v.Geometry, index)
}

// extract walks the plane with one stride per screen axis.
func extract[T any](dst, data []T, w View, g Geometry, index int) []T {
	cols, rows := w.Size[0], w.Size[1]
	if cap(dst) < cols*rows {
		dst = make([]T, cols*rows)
	}
	dst = dst[:cols*rows]

	strides := [3]int{1, g.Dims[0], g.Dims[0] * g.Dims[1]}
	first := w.Voxel(0, 0, index)
	start := g.Index(first[0], first[1], first[2])
	dx, dy := strides[w.Axis[0]], strides[w.Axis[1]]
	if w.Flip[0] {
		dx = -dx
	}
	if w.Flip[1] {
		dy = -dy
	}
	for row := range rows {
		line := dst[row*cols : (row+1)*cols]
		from := start + row*dy
		if dx == 1 {
			copy(line, data[from:from+cols])
			continue
		}
		for col := range line {
			line[col] = data[from+col*dx]
		}
	}
	return dst
}
