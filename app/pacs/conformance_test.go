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
		"contexts": contexts, "syntaxes": syntaxes, "statuses": statuses, "keys": keys, "made": made, "codes": codes,
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
	got, err := os.ReadFile(path)
	if err == nil && bytes.Equal(got, want.Bytes()) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the code does; go test ./app/pacs -run Conformance -update writes it (%v)", path, err)
	}
	if err := os.WriteFile(path, want.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// contexts are the presentation contexts that an activity proposes: a class and its syntaxes in a line.
func contexts(activity string) string {
	all := map[string][]dimse.Context{
		"echo": {dimse.Verification}, "find": dimse.FindContexts(), "get": dimse.GetContexts(), "commitment": dimse.CommitmentContexts(),
	}[activity]
	var b strings.Builder
	b.WriteString("| SOP class | UID | transfer syntaxes |\n| --- | --- | --- |\n")
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
		names := []string{"those of the table below"}
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
	b.WriteString("| transfer syntax | UID |\n| --- | --- |\n")
	for _, s := range dimse.Syntaxes {
		fmt.Fprintf(&b, "| %s | `%s` |\n", cmp.Or(part10.Syntaxes[s].Name, part10.ClassName(s)), s)
	}
	return b.String()
}

// made are the SOP classes of new objects.
func made() string {
	var b strings.Builder
	b.WriteString("| SOP class | UID |\n| --- | --- |\n")
	for _, class := range dicom.Made {
		fmt.Fprintf(&b, "| %s | `%s` |\n", part10.ClassName(class), class)
	}
	return b.String()
}

// codes are Quell's own codes in measurement reports.
func codes() string {
	var b strings.Builder
	b.WriteString("| code | meaning |\n| --- | --- |\n")
	for _, c := range structured.Codes() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Value, c.Meaning)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// statuses are the answers to C-STORE; a line has all codes of one meaning.
func statuses() string {
	var b strings.Builder
	b.WriteString("| status | taken as | stored |\n| --- | --- | --- |\n")
	text := func(s int) string {
		words, _, _ := strings.Cut(dimse.Status(s).String(), " (status")
		return words
	}
	for from := 0; from <= 0xFFFF; {
		to := from
		for to < 0xFFFF && text(to+1) == text(from) && dimse.Status(to+1).Stored() == dimse.Status(from).Stored() {
			to++
		}
		codes, stored := fmt.Sprintf("%04X", from), "no"
		if to > from {
			codes += fmt.Sprintf(" to %04X", to)
		}
		if dimse.Status(from).Stored() {
			stored = "yes"
		}
		if text(from) != "failed" {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", codes, text(from), stored)
		}
		from = to + 1
	}
	b.WriteString("| any other | failed | no |\n")
	return b.String()
}

// keys are the attributes that a search asks for.
func keys(level string) string {
	return "`" + strings.Join(pacs.Include[pacs.Level(level)], "`, `") + "`"
}
