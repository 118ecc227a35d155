package main

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Formulas are written in a part of LaTeX that code hosts show too: $x$ in a text, and blocks of code in the language
// math. Here they become MathML, which browsers set without a script. What is not in these tables is a fault of the document.

// words of operators and letters.
var (
	letters = map[string]string{
		"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "theta": "θ", "lambda": "λ", "mu": "μ", "nu": "ν",
		"pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "chi": "χ", "omega": "ω", "Delta": "Δ", "Sigma": "Σ", "Omega": "Ω", "infty": "∞",
	}
	functions = map[string]bool{"exp": true, "ln": true, "log": true, "cos": true, "sin": true, "max": true, "min": true, "div": true, "median": true}
	signs     = map[string]string{
		"le": "≤", "ge": "≥", "ne": "≠", "cdot": "·", "times": "×", "dots": "…", "to": "→", "pm": "±", "in": "∈", "approx": "≈", "propto": "∝",
		"partial": "∂", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "lvert": "|", "rvert": "|", "mid": "|",
		"oplus": "⊕", "{": "{", "}": "}", "%": "%",
	}
	large  = map[string]string{"sum": "∑", "prod": "∏", "int": "∫"}
	spaces = map[string]string{",": "0.17em", ";": "0.28em", " ": "0.33em", "quad": "1em", "qquad": "2em"}
)

// minus is a sign between two terms, unless it is at the beginning or behind a sign of opening.
const minus = "<mo>−</mo>"

var opening = regexp.MustCompile(`^<mo[^>]*>(\(|\[|,|=|&lt;|≤|≥)</mo>$`)

// function matches a function, which is apart from a factor by a thin space.
var function = regexp.MustCompile(`^(<msu[bp]>)?<mi>[a-z]{2,}</mi>`)

const thin = `<mspace width="0.17em"></mspace>`

// prime is the sign of a derivative, larger, as in most fonts it is made for the line.
const prime = `<mo class="prime">′</mo>`

// mathML returns a formula as MathML.
func mathML(tex string, block bool) (string, error) {
	t := &latex{rest: []rune(strings.TrimSpace(tex))}
	body, err := t.row("")
	if err != nil {
		return "", fmt.Errorf("the formula %.40q: %w", tex, err)
	}
	display := ""
	if block {
		display = ` display="block"`
	}
	return "<math" + display + "><mrow>" + body + "</mrow></math>", nil
}

// latex is a formula that is being read.
type latex struct{ rest []rune }

// word reads a command behind its backslash, or a sign.
func (t *latex) word() string {
	n := 0
	for n < len(t.rest) && unicode.IsLetter(t.rest[n]) {
		n++
	}
	if n == 0 && len(t.rest) > 0 {
		n = 1
	}
	w := string(t.rest[:n])
	t.rest = t.rest[n:]
	return w
}

// ends says whether the rest begins with an end of a row, such as } or \right.
func (t *latex) ends(end string) bool {
	return strings.HasPrefix(string(t.rest), end) && (end != `\right` || !strings.HasPrefix(string(t.rest), `\rightarrow`))
}

// row reads up to the end, which stays, or to the end of the formula if there is none. Cells of a table end rows too.
func (t *latex) row(end string) (string, error) {
	var b strings.Builder
	last := ""
	for {
		t.skip()
		switch {
		case len(t.rest) == 0 && end != "":
			return "", fmt.Errorf("%s is missing", end)
		case len(t.rest) == 0, end != "" && t.ends(end), end == `\end` && (t.ends("&") || t.ends(`\\`)):
			return b.String(), nil
		}
		part, err := t.scripted()
		if err != nil {
			return "", err
		}
		if part == minus && (last == "" || opening.MatchString(last)) {
			part = `<mo form="prefix">−</mo>`
		}
		if last != "" && !strings.HasPrefix(last, "<mo") && function.MatchString(part) {
			b.WriteString(thin)
		}
		b.WriteString(part)
		last = part
	}
}

func (t *latex) skip() {
	for len(t.rest) > 0 && unicode.IsSpace(t.rest[0]) {
		t.rest = t.rest[1:]
	}
}

// scripted reads an atom with what is above and below it.
func (t *latex) scripted() (string, error) {
	base, kind, err := t.atom()
	if err != nil {
		return "", err
	}
	var sub, sup string
	for len(t.rest) > 0 {
		c := t.rest[0]
		if c != '^' && c != '_' && c != '\'' {
			break
		}
		t.rest = t.rest[1:]
		if c == '\'' {
			sup += prime
			continue
		}
		t.skip()
		part, _, err := t.atom()
		if err != nil {
			return "", err
		}
		if c == '_' {
			sub = part
		} else {
			sup += part
		}
	}
	names := [3]string{"msub", "msup", "msubsup"}
	if kind == "large" {
		names = [3]string{"munder", "mover", "munderover"}
	}
	switch {
	case sub != "" && sup != "":
		base = fmt.Sprintf("<%[1]s>%[2]s%[3]s<mrow>%[4]s</mrow></%[1]s>", names[2], base, sub, sup)
	case sub != "":
		base = fmt.Sprintf("<%[1]s>%[2]s%[3]s</%[1]s>", names[0], base, sub)
	case sup != "":
		base = fmt.Sprintf("<%[1]s>%[2]s<mrow>%[3]s</mrow></%[1]s>", names[1], base, sup)
	}
	if kind == "function" && len(t.rest) > 0 && (t.rest[0] == ' ' || t.rest[0] == '\\') {
		base += thin
	}
	return base, nil
}

// atom reads a letter, a number, a group or a command. The kind is large of sums, and function of names.
func (t *latex) atom() (ml, kind string, err error) {
	if len(t.rest) == 0 {
		return "", "", fmt.Errorf("it ends too early")
	}
	c := t.rest[0]
	switch {
	case c == '{':
		ml, err = t.group()
		return ml, "", err
	case c == '\\':
		t.rest = t.rest[1:]
		return t.command(t.word())
	case unicode.IsDigit(c):
		n := 1
		for n < len(t.rest) && (unicode.IsDigit(t.rest[n]) || t.rest[n] == '.' && n+1 < len(t.rest) && unicode.IsDigit(t.rest[n+1])) {
			n++
		}
		ml = "<mn>" + string(t.rest[:n]) + "</mn>"
		t.rest = t.rest[n:]
		return ml, "", nil
	}
	t.rest = t.rest[1:]
	switch {
	case unicode.IsLetter(c):
		return "<mi>" + string(c) + "</mi>", "", nil
	case strings.ContainsRune("()[]", c):
		return `<mo stretchy="false">` + string(c) + "</mo>", "", nil
	case c == '\'': // of nothing
		return prime, "", nil
	case strings.ContainsRune("|/.", c):
		return `<mo stretchy="false" lspace="0" rspace="0">` + string(c) + "</mo>", "", nil
	case c == '-':
		return minus, "", nil
	case strings.ContainsRune("+=<>,;:!*", c):
		return "<mo>" + html.EscapeString(string(c)) + "</mo>", "", nil
	}
	return "", "", fmt.Errorf("%q has no meaning here", c)
}

// group reads { ... }.
func (t *latex) group() (string, error) {
	raw, err := t.braced()
	if err != nil {
		return "", err
	}
	body, err := (&latex{rest: raw}).row("")
	return "<mrow>" + body + "</mrow>", err
}

// braced reads { ... } as it is.
func (t *latex) braced() ([]rune, error) {
	t.skip()
	if len(t.rest) == 0 || t.rest[0] != '{' {
		return nil, fmt.Errorf("{ is missing")
	}
	depth := 0
	for i, c := range t.rest {
		switch escaped := i > 0 && t.rest[i-1] == '\\'; {
		case escaped:
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
		if depth == 0 {
			raw := t.rest[1:i]
			t.rest = t.rest[i+1:]
			return raw, nil
		}
	}
	return nil, fmt.Errorf("} is missing")
}

// command reads what belongs to a command.
func (t *latex) command(name string) (ml, kind string, err error) {
	switch {
	case letters[name] != "":
		return "<mi>" + letters[name] + "</mi>", "", nil
	case functions[name]:
		return "<mi>" + name + "</mi>", "function", nil
	case large[name] != "":
		return "<mo>" + large[name] + "</mo>", "large", nil
	case signs[name] != "":
		return `<mo stretchy="false">` + signs[name] + "</mo>", "", nil
	case spaces[name] != "":
		return `<mspace width="` + spaces[name] + `"></mspace>`, "", nil
	}
	switch name {
	case "text", "mathrm":
		raw, err := t.braced()
		element := map[string]string{"text": "mtext", "mathrm": "mi"}[name]
		return "<" + element + ">" + strings.ReplaceAll(html.EscapeString(string(raw)), " ", "\u00a0") + "</" + element + ">", "", err
	case "sqrt":
		ml, err = t.group()
		return "<msqrt>" + ml + "</msqrt>", "", err
	case "hat", "bar":
		ml, err = t.group()
		return `<mover accent="true">` + ml + "<mo>" + map[string]string{"hat": "^", "bar": "‾"}[name] + "</mo></mover>", "", err
	case "frac":
		over, err := t.group()
		if err != nil {
			return "", "", err
		}
		under, err := t.group()
		return "<mfrac>" + over + under + "</mfrac>", "", err
	case "left":
		return t.fenced()
	case "begin":
		return t.table()
	}
	return "", "", fmt.Errorf(`\%s is not known`, name)
}

// fenced reads behind \left up to \right and its fence.
func (t *latex) fenced() (string, string, error) {
	open := t.fence()
	body, err := t.row(`\right`)
	if err != nil {
		return "", "", err
	}
	t.rest = t.rest[len(`\right`):]
	return "<mrow>" + open + body + t.fence() + "</mrow>", "", nil
}

// fence reads a bracket that grows with what it holds.
func (t *latex) fence() string {
	sign := t.word()
	if sign == `\` {
		sign = t.word()
		sign = signs[sign]
	}
	if sign == "." {
		return ""
	}
	return "<mo>" + sign + "</mo>"
}

// table reads an environment: aligned, or cases.
func (t *latex) table() (string, string, error) {
	raw, err := t.braced()
	name := string(raw)
	if err != nil || name != "aligned" && name != "cases" {
		return "", "", fmt.Errorf("the environment %s is not known", name)
	}
	var b strings.Builder
	b.WriteString("<mtr>")
	for {
		cell, err := t.row(`\end`)
		if err != nil {
			return "", "", err
		}
		b.WriteString("<mtd>" + cell + "</mtd>")
		switch {
		case t.ends("&"):
			t.rest = t.rest[1:]
		case t.ends(`\\`):
			t.rest = t.rest[2:]
			b.WriteString("</mtr><mtr>")
		default:
			t.rest = t.rest[len(`\end`):]
			_, err := t.braced()
			rows := `<mtable displaystyle="true" class="` + name + `">` + b.String() + "</mtr></mtable>"
			if name == "cases" {
				rows = "<mrow><mo>{</mo>" + rows + "</mrow>"
			}
			return rows, "", err
		}
	}
}

// formula is a formula in a text.
type formula struct {
	ast.BaseInline
	tex string
}

// kindFormula is its kind.
var kindFormula = ast.NewNodeKind("Formula")

func (f *formula) Kind() ast.NodeKind { return kindFormula }

func (f *formula) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, map[string]string{"tex": f.tex}, nil)
}

// formulas reads and writes formulas.
type formulas struct{}

func (formulas) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(formulas{}, 150)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(formulas{}, 150)))
}

func (formulas) Trigger() []byte { return []byte{'$'} }

// Parse reads $x$: no space behind the first sign and before the last one, as in the code hosts.
func (formulas) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	end := strings.IndexByte(string(line[1:]), '$')
	if end < 1 || line[1] == ' ' || line[end] == ' ' {
		return nil
	}
	block.Advance(end + 2)
	return &formula{tex: string(line[1 : end+1])}
}

func (formulas) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindFormula, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		ml, err := mathML(n.(*formula).tex, false) //nolint:forcetypeassert // its kind
		_, _ = w.WriteString(ml)
		return ast.WalkContinue, err
	})
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		code := string(n.Lines().Value(source))
		if tex, ok := blockFormula(n, source); ok {
			ml, err := mathML(tex, true)
			_, _ = w.WriteString(ml + "\n")
			return ast.WalkContinue, err
		}
		_, _ = w.WriteString("<pre><code>" + html.EscapeString(code) + "</code></pre>\n")
		return ast.WalkContinue, nil
	})
}

// blockFormula returns the formula of a block of code in the language math.
func blockFormula(n ast.Node, source []byte) (tex string, ok bool) {
	code, ok := n.(*ast.FencedCodeBlock)
	if !ok || string(code.Language(source)) != "math" {
		return "", false
	}
	return string(code.Lines().Value(source)), true
}

// formulaFault returns what is wrong with a node that is a formula.
func (d *doc) formulaFault(n ast.Node) error {
	tex, block := blockFormula(n, d.source)
	if f, ok := n.(*formula); ok {
		tex = f.tex
	} else if !block {
		return nil
	}
	_, err := mathML(tex, block)
	return err
}
