package median

// lanes is the group of values that the vector code processes at once: operations work
// on whole groups.
const lanes = 16

// roundUp rounds n up to a multiple of lanes.
func roundUp(n int) int { return (n + lanes - 1) &^ (lanes - 1) }

// runGo runs operations on the first n values of rows, n a multiple of lanes. It is the
// definition of run; processors with AVX2 run a form that gives the same bits, equal
// values of different signs included (rows_amd64.s).
func runGo(operations []operation, memory []float32, n int) {
	for _, o := range operations {
		dst, a, b, c := memory[o.dst:][:n], memory[o.a:][:n], memory[o.b:][:n], memory[o.c:][:n]
		switch o.code {
		case lower:
			for x, v := range a {
				dst[x] = least(v, b[x])
			}
		case upper:
			for x, v := range a {
				dst[x] = most(v, b[x])
			}
		case both:
			for x, v := range a {
				dst[x], c[x] = least(v, b[x]), most(v, b[x])
			}
		case lowerUpper:
			for x, v := range a {
				dst[x] = least(most(v, b[x]), c[x])
			}
		case upperLower:
			for x, v := range a {
				dst[x] = most(least(v, b[x]), c[x])
			}
		}
	}
}

// least and most are the instructions MINPS and MAXPS: of equal values the second.
func least(a, b float32) float32 {
	if a < b {
		return a
	}
	return b
}

func most(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}
