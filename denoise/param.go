package denoise

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Kind is what a parameter's value looks like.
type Kind int

// The kinds of parameter.
const (
	Float  Kind = iota // a number
	Int                // a whole number
	Choice             // one of Param.Choices
	Switch             // on or off
	Ints               // a list of whole numbers
)

// Param is a parameter: a name, a default and the domain its values come from.
type Param struct {
	Name    string   // as in a recipe and, with dashes, as a flag: "search-radius"
	Label   string   // as on a slider: "Search radius"
	Kind    Kind     //
	Unit    string   // "mm", "voxels", "value" (the volume's own unit), or ""
	Min     float64  // smallest value allowed; for a list, of each entry
	Max     float64  // largest value allowed
	Lo, Hi  float64  // the slider's ends, inside Min..Max
	Step    float64  // one notch of a slider
	Default Value    //
	Auto    bool     // Auto is allowed: Resolve finds the value
	Percent bool     // a percentage of the input's range is allowed
	Lens    []int    // for Ints: the lengths allowed; nil for any
	Choices []string // for Choice
	Dims    int      // 0, or the only dimensionality the parameter has a meaning in
	Basic   bool     // shown before "more": what most people turn
	Help    string   // one sentence: what it does, and what more of it does
}

// Check reports why v is outside the parameter's domain, in words for a person.
func (p Param) Check(v Value) error {
	if err := p.check(v); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

func (p Param) check(v Value) error {
	if v.IsAuto() {
		if !p.Auto {
			return errors.New("auto is not possible here; give a value")
		}
		return nil
	}
	switch p.Kind {
	case Float, Int:
		return p.checkNumber(v)
	case Choice:
		if v.kind != kindWord || !slices.Contains(p.Choices, v.text) {
			return fmt.Errorf("%s is not one of %s", v, strings.Join(p.Choices, ", "))
		}
	case Switch:
		if v.kind != kindBool {
			return fmt.Errorf("%s is neither true nor false", v)
		}
	case Ints:
		list := v.Ints()
		if len(list) == 0 || (v.kind == kindNumber && v.num != math.Trunc(v.num)) {
			return fmt.Errorf("%s is not a list of whole numbers", v)
		}
		if p.Lens != nil && !slices.Contains(p.Lens, len(list)) {
			return fmt.Errorf("%d values; one, or one for each axis, is needed", len(list))
		}
		for _, x := range list {
			if err := p.inside(float64(x)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p Param) checkNumber(v Value) error {
	if v.kind == kindPercent {
		if !p.Percent {
			return errors.New("a percentage is not possible here")
		}
		if !(v.num >= 0 && v.num <= 100) {
			return fmt.Errorf("%s is outside 0%% to 100%%", v)
		}
		return nil
	}
	if v.kind != kindNumber {
		return fmt.Errorf("%s is not a number", v)
	}
	if p.Kind == Int && v.num != math.Trunc(v.num) {
		return fmt.Errorf("%s is not a whole number", v)
	}
	return p.inside(v.num)
}

func (p Param) inside(x float64) error {
	if !(x >= p.Min && x <= p.Max) {
		return fmt.Errorf("%g is outside %g to %g", x, p.Min, p.Max)
	}
	return nil
}
