package readers

import (
	"bufio"
	"fmt"
	"io"
	"slices"
)

// WriteIMRMC writes answers in the form that iMRMC of the FDA reads, which tells how the readers' own spread adds to that of
// the cases. Modality 1 is the images as they are, 2 the filtered ones. The image that was chosen has the score 1, the
// other 0: the area under the curve is then the share of right answers. Readers and cases are numbered in the order in
// which they first appear.
func WriteIMRMC(w io.Writer, title string, plans map[string][]Trial, answers []Answer) error {
	type scored struct {
		study string
		index int
	}
	type row struct {
		reader, modality, score int
		of                      scored
	}
	var rows []row
	var cases [2][]scored // without and with the signal
	readers := byReader(plans, answers)
	for n, r := range readers {
		for _, k := range r.order {
			t := plans[k.study][k.trial]
			for signal, index := range []int{t.Absent, t.Present} {
				of := scored{k.study, index}
				if !slices.Contains(cases[signal], of) {
					cases[signal] = append(cases[signal], of)
				}
				score := 0
				if (r.left[k] == t.Left) == (signal == 1) {
					score = 1
				}
				rows = append(rows, row{n + 1, modality(t) + 1, score, of})
			}
		}
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\n\nN0: %d\nN1: %d\nNR: %d\nNM: 2\n\nBEGIN DATA:\n", title, len(cases[0]), len(cases[1]), len(readers))
	name := map[scored]int{}
	for signal, all := range cases {
		for _, of := range all {
			name[of] = len(name) + 1
			fmt.Fprintf(b, "-1,%d,0,%d\n", name[of], signal)
		}
	}
	for _, r := range rows {
		fmt.Fprintf(b, "%d,%d,%d,%d\n", r.reader, name[r.of], r.modality, r.score)
	}
	return b.Flush()
}
