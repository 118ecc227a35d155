package main

import (
	"strings"
	"testing"
)

// Formulas become MathML, in a text and in blocks; what the tables lack is a fault.
func TestFormulas(t *testing.T) {
	for _, c := range []struct{ text, want, fault string }{
		{"w is $w_{ij}$ here", "<math><mrow><msub><mi>w</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub></mrow></math>", ""},
		{"$x_i^2$", "<msubsup><mi>x</mi><mi>i</mi><mrow><mn>2</mn></mrow></msubsup>", ""},
		{"$-0.75 < a'$", `<mo form="prefix">−</mo><mn>0.75</mn><mo>&lt;</mo><msup><mi>a</mi><mrow><mo class="prime">′</mo></mrow></msup>`, ""},
		{"$(-1, a-1)$", `(</mo><mo form="prefix">−</mo><mn>1</mn><mo>,</mo><mi>a</mi><mo>−</mo><mn>1</mn>`, ""},
		{"$2\\ln(a)$", `<mn>2</mn>` + thin + `<mi>ln</mi><mo stretchy`, ""},
		{"costs 5$ and 6$ more", "costs 5$ and 6$ more", ""},
		{"`$x$`", "<code>$x$</code>", ""},
		{"```math\n\\sum_j \\frac{a}{\\sqrt{b}}\n```", `<math display="block"><mrow><munder><mo>∑</mo><mi>j</mi></munder><mfrac><mrow><mi>a</mi></mrow>`, ""},
		{"```math\n\\begin{aligned}a&=\\ln N\\\\b&=2\\end{aligned}\n```", `<mtable displaystyle="true" class="aligned"><mtr><mtd><mi>a</mi></mtd><mtd><mo>=</mo><mi>ln</mi><mspace`, ""},
		{"```math\n\\left(\\frac{a}{b}\\right)^2\n```", "<msup><mrow><mo>(</mo><mfrac>", ""},
		{"```sh\na < b\n```", "<pre><code>a &lt; b\n</code></pre>", ""},
		{"$\\wrong$", "", `docs/a.md:1: the formula "\\wrong": \wrong is not known`},
		{"$a_{b$", "", "} is missing"},
		{"$a#$", "", "has no meaning"},
		{"```math\n\\begin{aligned}a\n```", "", `\end is missing`},
	} {
		set, err := load(repository(t, map[string]string{"docs/a.md": c.text}))
		if err != nil {
			t.Fatal(err)
		}
		faults := set.faults()
		if c.fault != "" {
			if len(faults) != 1 || !strings.Contains(faults[0], c.fault) {
				t.Errorf("%q: %q, want %q", c.text, faults, c.fault)
			}
			continue
		}
		page, err := set.page(set.docs["docs/a.md"], nil, map[string]bool{})
		if err != nil || len(faults) > 0 || !strings.Contains(string(page), c.want) {
			t.Errorf("%q: %v, %q, %s", c.text, err, faults, page)
		}
	}
}
