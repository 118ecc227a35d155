package main

import "testing"

// A text of three clauses is not one of two, and a text without a known licence has none.
func TestLicences(t *testing.T) {
	const two = "Redistribution and use in source and\nbinary forms, with or without modification"
	for text, want := range map[string]string{
		two: "BSD-2-Clause",
		two + "\nNeither the name of the\nauthors": "BSD-3-Clause",
		"Apache License\n  Version 2.0":            "Apache-2.0",
		"All rights reserved":                      "",
	} {
		got := licences(map[string][]byte{"LICENSE": []byte(text)})
		if want == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if len(licences(map[string][]byte{"COPYING": []byte(two), "NOTICE": []byte("Apache License Version 2.0")})) != 2 {
		t.Error("two files of two licences")
	}
}

func TestHashOf(t *testing.T) {
	if got := hashOf("h1:AAEC"); got != "000102" {
		t.Error(got)
	}
	if got := hashOf(""); got != "" {
		t.Error(got)
	}
}
