package median

import "slices"

// A network finds the median of a neighbourhood by minima and maxima of pairs alone, on
// whole rows of voxels at once. Its inputs are the rows of the neighbourhood, one for
// each y and z; a value of a network is a row too, and an operand may be read some
// voxels further along x. So what neighbourhoods share is computed once for all of them:
//
//	L1(x)   the sorted column at x: the voxels at x of all rows
//	L2(x) = merge(L1(x), L1(x+1)),  L4(x) = merge(L2(x), L2(x+2)),  ...
//
// The median at x is the median of the sorted lists that make up its width, as 5 = 4
// + 1. Lists are merged by Batcher's odd-even merge (Knuth, TAOCP 3, 5.3.4) except
// for the last two; only the ranks of them that count are computed:
//
//	k-th of A and B = min over i of max(A_i, B_{k-i}),  with A_0 = B_0 = -inf
//
// What no result depends on is left out.
type network struct {
	inputs  int
	nodes   []node
	results []value
}

// node is a row of values: a row of the neighbourhood for the first ones, then the
// minima or the maxima of two rows.
type node struct {
	code opcode // lower or upper
	a, b value
}

// value is the row of a node, read shift voxels further along x.
type value struct{ node, shift int }

// newNetwork returns the network for neighbourhoods of width columns of so many voxels.
// Its first result is the middle value, the lower of two; upper adds the next larger
// value.
func newNetwork(column, width int, upper bool) *network {
	n := &network{inputs: column, nodes: make([]node, column)}
	var list []value
	for k := range column {
		list = append(list, value{node: k})
	}
	list = n.sort(list) // of size columns
	var rest []value    // the columns next to it
	for size := 1; ; size *= 2 {
		if 2*size > width {
			n.results = append(n.results, n.rank(list, rest, (column*width+1)/2))
			if upper {
				n.results = append(n.results, n.rank(list, rest, (column*width+1)/2+1))
			}
			return n
		}
		if width&size != 0 {
			// The bits of the width from the highest on are lists side by side.
			rest = n.merge(shifted(list, width&^(2*size-1)), rest)
		}
		list = n.merge(list, shifted(list, size))
	}
}

// shifted returns a list, read further along x.
func shifted(list []value, by int) []value {
	list = slices.Clone(list)
	for i := range list {
		list[i].shift += by
	}
	return list
}

// order returns the smaller and the larger of two values.
func (n *network) order(a, b value) (lo, hi value) {
	return n.add(lower, a, b), n.add(upper, a, b)
}

func (n *network) add(code opcode, a, b value) value {
	n.nodes = append(n.nodes, node{code: code, a: a, b: b})
	return value{node: len(n.nodes) - 1}
}

// sort sorts a list by merging halves.
func (n *network) sort(list []value) []value {
	if len(list) < 2 {
		return list
	}
	half := len(list) / 2
	return n.merge(n.sort(list[:half]), n.sort(list[half:]))
}

// merge merges two sorted lists: the elements at even positions, the elements at odd
// ones, and then neighbours.
func (n *network) merge(a, b []value) []value {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	case len(a) == 1 && len(b) == 1:
		lo, hi := n.order(a[0], b[0])
		return []value{lo, hi}
	}
	even := n.merge(everyOther(a), everyOther(b))
	odd := n.merge(everyOther(a[1:]), everyOther(b[1:]))
	merged := []value{even[0]}
	for i, v := range even[1:] {
		if i < len(odd) {
			lo, hi := n.order(odd[i], v)
			merged = append(merged, lo, hi)
		} else {
			merged = append(merged, v)
		}
	}
	return append(merged, odd[min(len(even)-1, len(odd)):]...)
}

func everyOther(list []value) []value {
	var other []value
	for i := 0; i < len(list); i += 2 {
		other = append(other, list[i])
	}
	return other
}

// rank returns the k-th smallest value of two sorted lists, k from 1.
func (n *network) rank(a, b []value, k int) value {
	var terms []value
	for i := max(k-len(b), 0); i <= min(k, len(a)); i++ {
		switch i {
		case 0:
			terms = append(terms, b[k-1])
		case k:
			terms = append(terms, a[k-1])
		default:
			terms = append(terms, n.add(upper, a[i-1], b[k-i-1]))
		}
	}
	least := terms[0]
	for _, t := range terms[1:] {
		least = n.add(lower, t, least)
	}
	return least
}
