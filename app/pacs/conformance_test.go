package pacs_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"

	"quell/app/pacs"
	"quell/io/dicom"
	"quell/io/dicom/part10"
	"quell/io/dicom/structured"
	"quell/io/dimse"
)

var update = flag.Bool("update", false, "write docs/reference/conformance.md")

// TestConformanceStatement: the statement is its template with the tables of the code.
func TestConformanceStatement(t *testing.T) {
	const path, source = "../../docs/reference/conformance.md", "testdata/conformance.txt"
	statement, err := template.New("conformance.txt").Funcs(template.FuncMap{
		"contexts": contexts, "syntaxes": syntaxes, "statuses": statuses, "keys": keys, "made": made,
		"title": func() string { return pacs.DefaultAETitle }, "implementation": func() string { return dicom.ImplementationClassUID },
		"most": func() int { return dimse.MaxContexts }, "wait": func() string { return dimse.DefaultTimeout.String() },
		"report": func() string { return pacs.ReportWait.String() },
	}).ParseFiles(source)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := statement.Execute(&want, nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{path: want.String(), "../../docs/reference/report-codes.csv": codes()} {
		got, err := os.ReadFile(name)
		switch {
		case err == nil && string(got) == want:
		case !*update:
			t.Errorf("%s is not what the code does; go test ./app/pacs -run Conformance -update writes it (%v)", name, err)
		default:
			if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// contexts are the presentation contexts that an activity proposes: a class and its syntaxes in a line.
func contexts(activity string) string {
	all := map[string][]dimse.Context{
		"echo": {dimse.Verification}, "find": dimse.FindContexts(), "get": dimse.GetContexts(), "commitment": dimse.CommitmentContexts(),
	}[activity]
	var b strings.Builder
	b.WriteString("| SOP class | UID | transfer syntaxes |\n|---|---|---|\n")
	for i, c := range all {
		if slices.ContainsFunc(all[:i], func(o dimse.Context) bool { return o.SOPClass == c.SOPClass }) {
			continue
		}
		n := 0
		for _, o := range all {
			if o.SOPClass == c.SOPClass {
				n++
			}
		}
		names := []string{"all below"}
		if n < len(dimse.Syntaxes) {
			names = nil
			for _, o := range all {
				if o.SOPClass == c.SOPClass {
					names = append(names, part10.Syntaxes[o.Syntax].Name)
				}
			}
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", part10.ClassName(c.SOPClass), c.SOPClass, strings.Join(names, ", "))
	}
	return b.String()
}

// syntaxes are the transfer syntaxes in which instances are received, in their order.
func syntaxes() string {
	var b strings.Builder
	b.WriteString("| transfer syntax | UID |\n|---|---|\n")
	for _, s := range dimse.Syntaxes {
		fmt.Fprintf(&b, "| %s | `%s` |\n", cmp.Or(part10.Syntaxes[s].Name, part10.ClassName(s)), s)
	}
	return b.String()
}

// made are the SOP classes of new objects.
func made() string {
	var b strings.Builder
	b.WriteString("| SOP class | UID |\n|---|---|\n")
	for _, class := range dicom.Made {
		fmt.Fprintf(&b, "| %s | `%s` |\n", part10.ClassName(class), class)
	}
	return b.String()
}

// codes are Quell's own codes in measurement reports, as a table.
func codes() string {
	var b strings.Builder
	b.WriteString("code,meaning\n")
	for _, c := range structured.Codes() {
		fmt.Fprintf(&b, "%s,%q\n", c.Value, c.Meaning)
	}
	return b.String()
}

// statuses are the answers to C-STORE; a line has all codes of one meaning.
func statuses() string {
	meaning := func(s int) string {
		words, _, _ := strings.Cut(dimse.Status(s).String(), " (status")
		return words + " | " + map[bool]string{true: "yes", false: "no"}[dimse.Status(s).Stored()]
	}
	var order []string
	all := map[string][]string{}
	for from := 0; from <= 0xFFFF; {
		to := from
		for to < 0xFFFF && meaning(to+1) == meaning(from) {
			to++
		}
		codes, m := fmt.Sprintf("%04X", from), meaning(from)
		if to > from {
			codes += fmt.Sprintf(" to %04X", to)
		}
		if all[m] == nil {
			order = append(order, m)
		}
		all[m] = append(all[m], codes)
		from = to + 1
	}
	var b strings.Builder
	b.WriteString("| status | taken as | stored |\n|---|---|---|\n")
	for _, m := range order {
		if m != "failed | no" {
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(all[m], ", "), m)
		}
	}
	b.WriteString("| any other | failed | no |\n")
	return b.String()
}

// keys are the attributes that a search asks for.
func keys(level string) string {
	return "`" + strings.Join(pacs.Include[pacs.Level(level)], "`, `") + "`"
}
