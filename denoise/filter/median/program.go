package median

import "slices"

// opcode is what an operation computes, value by value.
type opcode int32

const (
	lower      opcode = iota // dst = min(a, b)
	upper                    // dst = max(a, b)
	both                     // dst = min(a, b), c = max(a, b)
	lowerUpper               // dst = min(max(a, b), c)
	upperLower               // dst = max(min(a, b), c)
)

// operation is one step of a program. Its operands are positions in the rows' memory.
// rows_amd64.s relies on the order and the size of the fields.
type operation struct {
	code         opcode
	dst, a, b, c int32
}

// program is a network as operations on rows in one block of memory, in which every row
// has pitch values. The first rows are the inputs, which stay as they are.
type program struct {
	upper      bool // it has two results, see newNetwork
	operations []operation
	results    []int // positions of the results
	size       int   // values of memory, those included that operations read past the last row
}

// compile lays out a network for rows of pitch values.
func (n *network) compile(pitch int) *program {
	steps := n.steps()
	last := make([]int, len(n.nodes)) // the last step that reads a node
	for i, s := range steps {
		for _, v := range s.operands {
			last[v.node] = i
		}
	}
	for _, r := range n.results {
		last[r.node] = len(steps)
	}

	// Rows are used again after the last step that reads them.
	p := &program{upper: len(n.results) > 1}
	row := make([]int, len(n.nodes))
	var free []int
	rows, reach := n.inputs, 0
	for i := range n.inputs {
		row[i] = i
	}
	position := func(v value) int32 {
		reach = max(reach, v.shift)
		return int32(row[v.node]*pitch + v.shift)
	}
	for i, s := range steps {
		for _, out := range s.out {
			if len(free) == 0 {
				free = append(free, rows)
				rows++
			}
			row[out], free = free[len(free)-1], free[:len(free)-1]
		}
		o := operation{code: s.code, dst: position(value{node: s.out[0]}), a: position(s.operands[0]), b: position(s.operands[1])}
		switch {
		case s.code == both:
			o.c = position(value{node: s.out[1]})
		case len(s.operands) == 3:
			o.c = position(s.operands[2])
		}
		p.operations = append(p.operations, o)
		for k, v := range s.operands {
			if last[v.node] == i && v.node >= n.inputs && !slices.ContainsFunc(s.operands[:k], func(o value) bool { return o.node == v.node }) {
				free = append(free, row[v.node])
			}
		}
	}
	for _, r := range n.results {
		p.results = append(p.results, int(position(r)))
	}
	p.size = rows*pitch + reach
	return p
}

// step is an operation before it has rows.
type step struct {
	code     opcode
	out      []int // nodes: the minima, the maxima of both
	operands []value
}

// steps returns the nodes that the results depend on as steps, in the same order.
func (n *network) steps() []step {
	uses := make([]int, len(n.nodes)) // of every node, by others that results depend on
	for _, r := range n.results {
		uses[r.node]++
	}
	first := make([]int, len(n.nodes)) // the node that a node's step computes first, or 0
	inner := make([]bool, len(n.nodes))
	for i := len(n.nodes) - 1; i >= n.inputs; i-- {
		if uses[i] == 0 {
			continue
		}
		a, b := n.nodes[i].a, n.nodes[i].b
		uses[a.node]++
		uses[b.node]++
	}
	for i := len(n.nodes) - 1; i >= n.inputs; i-- {
		a := n.nodes[i].a
		// Two operations of different kinds are one if nothing else uses the first.
		if uses[i] > 0 && !inner[i] && a.node >= n.inputs && a.shift == 0 && uses[a.node] == 1 && n.nodes[a.node].code != n.nodes[i].code {
			first[i], inner[a.node] = a.node, true
		}
	}
	var steps []step
	single := func(i int) bool { return uses[i] > 0 && !inner[i] && first[i] == 0 }
	for i := n.inputs; i < len(n.nodes); i++ {
		at := n.nodes[i]
		switch k := first[i]; {
		case uses[i] == 0 || inner[i]:
		case k > 0:
			steps = append(steps, step{at.code + lowerUpper, []int{i}, []value{n.nodes[k].a, n.nodes[k].b, at.b}})
		case at.code == lower && i+1 < len(n.nodes) && n.nodes[i+1] == (node{upper, at.a, at.b}) && single(i+1):
			steps = append(steps, step{both, []int{i, i + 1}, []value{at.a, at.b}})
			i++
		default:
			steps = append(steps, step{at.code, []int{i}, []value{at.a, at.b}})
		}
	}
	return steps
}
