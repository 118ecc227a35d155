package denoise

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/denoise/noise"
	"quell/internal/message"
	"quell/volume"
)

// Kind is the type of a parameter's values.
type Kind int

// The kinds of parameter.
const (
	Float  Kind = iota // a number
	Int                // a whole number
	Choice             // one of Param.Choices
	Switch             // on or off
	Ints               // a list of whole numbers
)

// Positive and Largest bound parameters in the volume's unit. They are the
// limits of float32 and no others: a recipe must work on volumes in any unit.
const (
	Positive = 0x1p-126 // the smallest normal float32
	Largest  = math.MaxFloat32
)

// Param is a parameter: a name, a default and the domain of its values.
type Param struct {
	Name    string    // in recipes and, with dashes, as a flag: "search-radius"
	Label   string    // on a slider: "Search radius"
	Kind    Kind      //
	Unit    string    // "mm", "voxels", "value" (the volume's own unit, or sigmas of its noise), or ""
	Min     float64   // smallest value allowed; for a list, of each entry
	Max     float64   // largest value allowed
	Lo, Hi  float64   // ends of the slider, within Min..Max; in sigmas for the unit "value"
	Step    float64   // one notch of the slider, likewise
	Default Value     //
	Absent  Value     // of a recipe that does not name the parameter, as none did before there was one; Auto: Default
	Auto    *AutoRule // how Resolve computes the value Auto; nil if Auto is not allowed
	Rules   []Rule    // named ways to compute a number in the volume's unit, beside Auto
	Percent bool      // a percentage of the input's range is allowed
	PerAxis bool      // for Ints: one number for all axes or three, for x, y and z; for Float: one to three, the last for the axes that follow
	Rising  bool      // for Ints: each entry must be larger than the one before
	Longest int       // for Ints: the most entries; 0 for any number
	Level   bool      // a position on the scale of values, not a difference: it moves with a constant that is added to the voxels
	Choices []string  // for Choice
	Words   []string  // of the choices, for people, if their own do not explain themselves; as long as Choices
	Mixes   bool      // the strength of a mixture, which Visible may leave to be found
	Basic   bool      // displayed without opening "more"
	Help    string    // one sentence: what the parameter does, and the effect of more of it

	// Ignored returns why a recipe does not use the parameter, as a clause
	// ("weighting lk has no strength"), or "" if it does; nil if every recipe
	// does.
	Ignored func(r Recipe) message.Message

	// Implies holds the values that switching the parameter on gives to others
	// that are at their default, see [Recipe.Set].
	Implies map[string]Value
}

// absent returns the value in a recipe that does not name the parameter.
func (p Param) absent() Value {
	if p.Absent.IsAuto() {
		return p.Default
	}
	return p.Absent
}

// Word returns the name of a choice in a list, in sentence case: "Largest weight" for
// "max".
func (p Param) Word(choice string) string {
	if i := slices.Index(p.Choices, choice); i >= 0 && i < len(p.Words) {
		return p.Words[i]
	}
	if choice == "" {
		return ""
	}
	return strings.ToUpper(choice[:1]) + choice[1:]
}

// AutoRule computes the value of a parameter from the volume. One of Amount, Found
// and Value is set.
type AutoRule struct {
	// Amount returns a number in the volume's unit, from the facts: a multiple of
	// [Facts.AutoSigma].
	Amount func(r Recipe, g volume.Geometry, f Facts) float64
	// Found returns a value of any other kind, from the facts.
	Found func(r Recipe, f Facts) Value
	// Value returns the value from the recipe and the geometry alone.
	Value func(r Recipe, g volume.Geometry) (Value, error)

	// Spares reports whether the rule needs no facts for a recipe, so that the
	// volume need not be read; nil for never.
	Spares func(r Recipe) bool
}

// Rule is a way to compute a number that a recipe names by a word, as a paper's own.
type Rule struct {
	Name string // "coupe"
	// Amount returns the number in the volume's unit, from the facts; 0 if they do not say.
	Amount func(f Facts) float64
}

// rule returns the rule that v names.
func (p Param) rule(v Value) (Rule, bool) {
	i := slices.IndexFunc(p.Rules, func(r Rule) bool { return v.kind == kindWord && v.text == r.Name })
	if i < 0 {
		return Rule{}, false
	}
	return p.Rules[i], true
}

// ruled reports whether v names a rule.
func (p Param) ruled(v Value) bool {
	_, ok := p.rule(v)
	return ok
}

// noise reports whether the rule uses the facts, for which the whole volume is
// read and its noise estimated.
func (a *AutoRule) noise(r Recipe) bool {
	return a != nil && a.Value == nil && (a.Spares == nil || !a.Spares(r))
}

// Check reports why v is outside the parameter's domain, in words for users.
func (p Param) Check(v Value) error {
	if err := p.check(v); err != nil {
		return message.Named(p.Name, err)
	}
	return nil
}

func (p Param) check(v Value) error {
	if v.IsAuto() {
		if p.Auto == nil {
			return message.Errorf(message.RecipeValue, "auto is not possible here; give a value")
		}
		return nil
	}
	if v.IsSURE() {
		if p.Kind == Choice || p.Kind == Switch {
			return message.Errorf(message.RecipeValue, "only a strength can be found by sure")
		}
		return nil
	}
	if v.IsVisible() {
		if !p.Mixes {
			return message.Errorf(message.RecipeValue, "only the strength of the mixture can be visible")
		}
		return nil
	}
	if p.ruled(v) {
		return nil
	}
	switch p.Kind {
	case Float, Int:
		return p.checkNumber(v)
	case Choice:
		if v.kind != kindWord || !slices.Contains(p.Choices, v.text) {
			return message.Errorf(message.RecipeValue, "%s is not one of %s", v.figure(), strings.Join(p.Choices, ", "))
		}
	case Switch:
		if v.kind != kindBool {
			return message.Errorf(message.RecipeValue, "%s is neither true nor false", v.figure())
		}
	case Ints:
		return p.checkList(v)
	}
	return nil
}

func (p Param) checkList(v Value) error {
	list := v.Floats()
	if len(list) == 0 || slices.ContainsFunc(list, func(x float64) bool { return x != math.Trunc(x) }) {
		return message.Errorf(message.RecipeValue, "%s is not a list of whole numbers", v.figure())
	}
	if p.PerAxis && len(list) != 1 && len(list) != 3 {
		return message.Errorf(message.RecipeValue, "%d values; one, or one for each axis, is needed", len(list))
	}
	if p.Longest > 0 && len(list) > p.Longest {
		return message.Errorf(message.RecipeValue, "%d values; at most %d have a meaning", len(list), p.Longest)
	}
	for i, x := range list {
		if err := p.inside(x); err != nil {
			return err
		}
		if p.Rising && i > 0 && x <= list[i-1] {
			return message.Errorf(message.RecipeValue, "%s must rise", v.figure())
		}
	}
	return nil
}

func (p Param) checkNumber(v Value) error {
	if v.kind == kindPercent {
		if !p.Percent {
			return message.Errorf(message.RecipeValue, "a percentage is not possible here")
		}
		if !(v.num >= 0 && v.num <= 100) {
			return message.Errorf(message.RecipeValue, "%s is outside 0%% to 100%%", v.figure())
		}
		return nil
	}
	if v.kind == kindSigmas {
		if p.Unit != valueUnit {
			return message.Errorf(message.RecipeValue, "a multiple of sigma is possible only in the unit of the voxels")
		}
		if !(v.num >= 0) || math.IsInf(v.num, 0) {
			return message.Errorf(message.RecipeValue, "%s is not 0 or more", v.figure())
		}
		return nil
	}
	if v.kind == kindList && p.Kind == Float && p.PerAxis {
		if len(v.list) == 0 || len(v.list) > 3 {
			return message.Errorf(message.RecipeValue, "%d values; one, or one for each axis, is needed", len(v.list))
		}
		for _, x := range v.list {
			if err := p.inside(x); err != nil {
				return err
			}
		}
		return nil
	}
	if v.kind != kindNumber {
		return message.Errorf(message.RecipeValue, "%s is not a number", v.figure())
	}
	if p.Kind == Int && v.num != math.Trunc(v.num) {
		return message.Errorf(message.RecipeValue, "%s is not a whole number", v.figure())
	}
	return p.inside(v.num)
}

func (p Param) inside(x float64) error {
	if !(x >= p.Min && x <= p.Max) {
		return message.Errorf(message.RecipeValue, "%g is outside the domain: %s", x, p.Domain())
	}
	return nil
}

// Domain describes the numbers that a Float, Int or Ints parameter takes: "1 to
// 8", "above 0", "0 or more" or "any number".
func (p Param) Domain() message.Message {
	if p.Max < Largest {
		return message.Text("%g to %g", p.Min, p.Max)
	}
	switch {
	case p.Min > 0:
		return message.Text("above 0")
	case p.Min < 0:
		return message.Text("any number")
	}
	return message.Text("0 or more")
}

// describe reports the faults of the description itself.
func (p Param) describe() error {
	if p.Name == "" || p.Label == "" || p.Help == "" {
		return errors.New("name, label or help is missing")
	}
	if err := errors.Join(p.check(p.Default), p.check(p.absent())); err != nil {
		return fmt.Errorf("the default is refused: %w", err)
	}
	if (p.Kind == Choice) != (len(p.Choices) > 1) {
		return errors.New("choices belong to a Choice, which needs two or more")
	}
	if len(p.Rules) > 0 && p.Unit != valueUnit {
		return errors.New("a named rule computes a number in the volume's unit")
	}
	number := p.Kind == Float || p.Kind == Int || p.Kind == Ints
	if number && !(p.Min <= p.Lo && p.Lo < p.Hi && p.Hi <= p.Max && p.Step > 0) {
		return fmt.Errorf("slider from %g to %g by %g, domain %g to %g", p.Lo, p.Hi, p.Step, p.Min, p.Max)
	}
	if (p.Rising || p.Longest != 0) && p.Kind != Ints || p.PerAxis && p.Kind != Ints && (p.Kind != Float || p.Unit == valueUnit) {
		return errors.New("only a list has entries per axis, rising entries or a greatest length")
	}
	return nil
}

// resolve returns the plain value that v stands for on a volume of geometry g
// with facts f.
func (p Param) resolve(r Recipe, v Value, g volume.Geometry, f Facts) (Value, error) {
	switch {
	case v.IsSURE():
		return v, message.Errorf(message.RecipeValue, "%s: sure stands for a strength that tuning finds first", p.Name)
	case v.IsVisible():
		return v, message.Errorf(message.RecipeValue, "%s: visible stands for a strength that virtual lesions find first", p.Name)
	case p.ruled(v):
		rule, _ := p.rule(v)
		x := rule.Amount(f)
		if x == 0 && f.width() > 0 {
			return v, message.Errorf(message.NoiseUnknown, "%s: %s needs the noise of the series, which its voxels do not give; give %s a number", p.Name, v.figure(), p.Name)
		}
		v = p.amount(x, f)
	case v.IsSigmas():
		if f.Noise.Confidence == noise.None && v.Float() > 0 {
			return v, message.Errorf(message.NoiseUnknown, "%s: %s needs the noise of the series, which cannot be estimated (%s); give %s a number", p.Name, v.figure(), f.Noise.Why, p.Name)
		}
		v = p.amount(v.Float()*f.Noise.Sigma, f)
	case v.IsPercent():
		v = p.amount(v.Float()/100*f.width(), f)
	case v.IsAuto() && p.Auto != nil && p.Auto.Amount != nil:
		v = p.amount(p.Auto.Amount(r, g, f), f)
	case v.IsAuto() && p.Auto != nil && p.Auto.Found != nil:
		v = p.Auto.Found(r, f)
	case v.IsAuto() && p.Auto != nil:
		var err error
		if v, err = p.Auto.Value(r, g); err != nil {
			return v, err
		}
	}
	if err := p.Check(v); err != nil {
		return v, err
	}
	if p.PerAxis && p.Kind == Ints {
		axes := r.perAxis(v)
		v = List(axes[:]...)
	}
	return v, nil
}

// amount returns x, computed from the facts, as a value of a parameter in the
// volume's unit.
func (p Param) amount(x float64, f Facts) Value {
	if x == 0 && p.Min > 0 {
		x = f.Negligible()
	}
	return Number(p.clamp(x))
}

// clamp moves a computed number into the domain.
func (p Param) clamp(x float64) float64 { return min(max(x, p.Min), p.Max) }

// resolved reports whether v is a plain value.
func (p Param) resolved(v Value) bool {
	return !v.IsAuto() && !v.IsSURE() && !v.IsVisible() && !v.IsSigmas() && !v.IsPercent() && !p.ruled(v) && (!p.PerAxis || p.Kind != Ints || len(v.list) == 3)
}
