package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// otherParts returns the embedded parts of the programs besides Go modules. Versions of the libraries in
// openjpeg.wasm are those of io/dicom/codec/wasm/MANIFEST.
func otherParts() ([]part, error) {
	parts := []part{
		{Name: "OpenJPEG (WebAssembly)", Version: "2.5.0-2+deb12u3", URL: "pkg:deb/debian/openjpeg2@2.5.0-2+deb12u3"},
		{Name: "wasi-libc (WebAssembly)", Version: "0.0~git20220510.9886d3d-2", URL: "pkg:deb/debian/wasi-libc@0.0~git20220510.9886d3d-2"},
		{Name: "head CT of dcm_qa_ct", Version: "2019"},
		{Name: "Liberation Sans, by go-fonts", Version: "0.5.0", URL: "pkg:golang/codeberg.org/go-fonts/liberation@v0.5.0"},
	}
	for i, files := range [][]string{
		{"io/dicom/codec/wasm/LICENSE.openjpeg"}, {"io/dicom/codec/wasm/LICENSE.wasi-libc"}, {"assets/series/LICENSE"},
		{"internal/liberation/LICENSE", "internal/liberation/LICENSE-SIL"},
	} {
		parts[i].Texts = map[string][]byte{}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			parts[i].Texts[filepath.Base(file)] = text
		}
	}
	return parts, nil
}

// marks are words by which a licence is known.
var marks = []struct {
	id    string
	words []string // all of them
}{
	{"Apache-2.0", []string{"Apache License", "Version 2.0"}},
	{"MPL-2.0", []string{"Mozilla Public License", "2.0"}},
	{"OFL-1.1", []string{"SIL OPEN FONT LICENSE", "1.1"}},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "Neither the name"}},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "names of its contributors"}},
	{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms"}},
	{"MIT", []string{"Permission is hereby granted, free of charge, to any person obtaining a copy"}},
	{"ISC", []string{"Permission to use, copy, modify, and/or distribute this software for any purpose"}},
	{"ISC", []string{"Permission to use, copy, modify, and distribute this software for any purpose"}},
	{"Unlicense", []string{"This is free and unencumbered software released into the public domain"}},
	{"CC-BY-4.0", []string{"Creative Commons", "Attribution", "4.0"}},
	{"CC0-1.0", []string{"CC0 1.0 Universal"}},
	{"Zlib", []string{"This software is provided 'as-is', without any express or implied warranty"}},
	{"FTL", []string{"FreeType License"}},
}

// licences returns the SPDX identifiers of licence texts, sorted.
func licences(texts map[string][]byte) (ids []string) {
	for _, text := range texts {
		plain := strings.ToLower(string(bytes.Join(bytes.Fields(text), []byte(" "))))
		for _, m := range marks {
			known := !slices.ContainsFunc(m.words, func(w string) bool { return !strings.Contains(plain, strings.ToLower(w)) })
			twoClauses := m.id == "BSD-2-Clause" && slices.Contains(ids, "BSD-3-Clause") // every text of three clauses holds two
			if known && !twoClauses && !slices.Contains(ids, m.id) {
				ids = append(ids, m.id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}
