package bench

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"go/scanner"
	"go/token"

	"quell/kernels"
	"quell/phantom"
)

// sources are the files that define the measurements.
//
//go:embed zheng.go upadhya.go bethel.go horacek.go klepaczko.go input.go scalar.go
var sources embed.FS

// Sources identifies the measurements of a run: the experiments without their comments, the
// phantoms, and the machine code of the kernels. A table of another value is older than
// the program.
func Sources() string {
	h := sha256.New()
	files, err := sources.ReadDir(".")
	if err != nil {
		panic(err) // the embedded folder always exists
	}
	for _, f := range files {
		text, err := sources.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		var s scanner.Scanner
		set := token.NewFileSet()
		s.Init(set.AddFile(f.Name(), -1, len(text)), text, nil, 0)
		for {
			_, kind, literal := s.Scan()
			if kind == token.EOF {
				break
			}
			fmt.Fprintln(h, kind, literal)
		}
	}
	for _, kind := range phantom.Kinds() {
		p, err := phantom.New(kind, phantom.Size{})
		if err != nil {
			panic(err) // every kind has a size
		}
		fmt.Fprintln(h, kind, p.Background, p.Shapes)
	}
	for _, module := range []string{"rungs/bilateral", "rungs/nlm", "rungs/nlm_group", "rungs/lpa", "bilateral", "nlm", "nlm_select", "lpa", "sadct", "bnlm", "gaussian"} {
		fmt.Fprintln(h, kernels.ModuleDigest(module))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
