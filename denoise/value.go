package denoise

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"quell/internal/message"
)

// Value is the value of one parameter: a number, a multiple of the noise's sigma, a
// percentage of the volume's range, a choice or a list of numbers. The zero
// Value is Auto.
type Value struct {
	kind valueKind
	num  float64
	text string
	list []float64
}

type valueKind uint8

const (
	kindAuto valueKind = iota
	kindNumber
	kindPercent
	kindSigmas
	kindSURE
	kindVisible
	kindWord
	kindBool
	kindList
)

// Auto leaves a parameter to be computed from the volume (see Recipe.Resolve).
var Auto = Value{}

// Number returns a plain number.
func Number(x float64) Value { return Value{kind: kindNumber, num: x} }

// Percent returns x % of the range (largest minus smallest voxel) of the input.
func Percent(x float64) Value { return Value{kind: kindPercent, num: x} }

// Sigmas returns x times the standard deviation of the input's noise.
func Sigmas(x float64) Value { return Value{kind: kindSigmas, num: x} }

// SURE leaves a strength to be found by minimising Stein's unbiased risk estimate.
// Package denoise/tune replaces it by a number; Recipe.Resolve refuses it.
var SURE = Value{kind: kindSURE}

// Visible leaves the strength of the mixture to be found: the highest that keeps what was visible. Floats are the reader's bounds,
// as far as they are given: the contrast, the mean frequency and the power of a band that stay.
var Visible = Value{kind: kindVisible}

const visiblePrefix = "visible:"

// Word returns a choice by its name.
func Word(s string) Value { return Value{kind: kindWord, text: s} }

// Bool returns a switch.
func Bool(on bool) Value {
	v := Value{kind: kindBool}
	if on {
		v.num = 1
	}
	return v
}

// List returns a list of whole numbers; the list is copied.
func List(xs ...int) Value {
	v := Value{kind: kindList, list: make([]float64, len(xs))}
	for i, x := range xs {
		v.list[i] = float64(x)
	}
	return v
}

// Numbers returns a list of numbers; the list is copied.
func Numbers(xs ...float64) Value { return Value{kind: kindList, list: slices.Clone(xs)} }

// IsAuto reports whether the value is to be computed from the volume.
func (v Value) IsAuto() bool { return v.kind == kindAuto }

// IsNumber reports whether the value is a plain number.
func (v Value) IsNumber() bool { return v.kind == kindNumber }

// IsPercent reports whether the value is a percentage of the input's range.
func (v Value) IsPercent() bool { return v.kind == kindPercent }

// IsSigmas reports whether the value is a multiple of the noise's sigma.
func (v Value) IsSigmas() bool { return v.kind == kindSigmas }

// IsWord reports whether the value is the name of a choice.
func (v Value) IsWord() bool { return v.kind == kindWord }

// IsSURE reports whether the value is to be found by tuning.
func (v Value) IsSURE() bool { return v.kind == kindSURE }

// IsVisible reports whether the value is to be found by virtual lesions.
func (v Value) IsVisible() bool { return v.kind == kindVisible }

// Float returns the number of a number, a percentage or a multiple of sigma; 0 for
// every other kind.
func (v Value) Float() float64 { return v.num }

// Int returns a number rounded to the nearest whole one.
func (v Value) Int() int { return int(math.Round(v.num)) }

// On returns the state of a switch.
func (v Value) On() bool { return v.num != 0 }

// Ints returns a list with its entries rounded to the nearest whole number; a number is a list
// of one, anything else nil.
func (v Value) Ints() []int {
	var list []int
	for _, x := range v.Floats() {
		list = append(list, int(math.Round(x)))
	}
	return list
}

// Floats returns a copy of a list; a number is a list of one, anything else nil.
func (v Value) Floats() []float64 {
	if v.kind == kindNumber {
		return []float64{v.num}
	}
	return slices.Clone(v.list)
}

// Equal reports whether two values are the same.
func (v Value) Equal(o Value) bool {
	return v.kind == o.kind && v.num == o.num && v.text == o.text && slices.Equal(v.list, o.list)
}

// String returns the form that ParseValue reads back: "auto", "sure", "10", "15%",
// "1.2sigma", "gaussian", "true", "1,2,3", "visible:0.95,0.9".
func (v Value) String() string {
	switch v.kind {
	case kindNumber:
		return strconv.FormatFloat(v.num, 'g', -1, 64)
	case kindPercent:
		return strconv.FormatFloat(v.num, 'g', -1, 64) + "%"
	case kindSigmas:
		return strconv.FormatFloat(v.num, 'g', -1, 64) + "sigma"
	case kindSURE:
		return "sure"
	case kindVisible:
		return strings.TrimSuffix(visiblePrefix+listText(v.list), ":")
	case kindWord:
		return v.text
	case kindBool:
		return strconv.FormatBool(v.On())
	case kindList:
		return listText(v.list)
	}
	return "auto"
}

func listText(list []float64) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(parts, ",")
}

// ParseValue reads what String writes and what users type: also "1.2 sigma" and
// "1.2σ".
func ParseValue(s string) (Value, error) {
	s = strings.TrimSpace(s)
	switch s {
	case "":
		return Value{}, message.Errorf(message.RecipeValue, "a value is missing")
	case "auto":
		return Auto, nil
	case "sure":
		return SURE, nil
	case "visible":
		return Visible, nil
	case "true", "false":
		return Bool(s == "true"), nil
	}
	if p, ok := strings.CutSuffix(s, "%"); ok {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil {
			return Value{}, message.Errorf(message.RecipeValue, "%q is not a percentage", s)
		}
		return Percent(x), nil
	}
	for _, unit := range []string{"sigma", "σ"} {
		if p, ok := strings.CutSuffix(s, unit); ok {
			x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
			if err != nil {
				return Value{}, message.Errorf(message.RecipeValue, "%q is not a multiple of sigma", s)
			}
			return Sigmas(x), nil
		}
	}
	if bounds, ok := strings.CutPrefix(s, visiblePrefix); ok {
		v, err := ParseValue(bounds)
		list := v.Floats()
		if err != nil || len(list) == 0 || len(list) > 3 || slices.ContainsFunc(list, func(x float64) bool { return !(x >= 0 && x < 1) }) {
			return Value{}, message.Errorf(message.RecipeValue, "%q has no shares of contrast, mean frequency and power that stay, such as visible:0.95,0.9,0.25", s)
		}
		return Value{kind: kindVisible, list: list}, nil
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil {
		return Number(x), nil
	}
	if strings.Contains(s, ",") {
		var list []float64
		for part := range strings.SplitSeq(s, ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if err != nil {
				return Value{}, message.Errorf(message.RecipeValue, "%q is not a list of numbers", s)
			}
			list = append(list, x)
		}
		return Numbers(list...), nil
	}
	return Word(s), nil
}

// MarshalJSON writes numbers, booleans and lists as themselves, and every other
// kind as the string that String returns.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case kindNumber:
		return json.Marshal(v.num)
	case kindBool:
		return json.Marshal(v.On())
	case kindList:
		return json.Marshal(v.list)
	}
	return json.Marshal(v.String())
}

// figure is the value in a message.
func (v Value) figure() message.Figure { return message.Figure(v.String()) }

// UnmarshalJSON is the inverse of MarshalJSON.
func (v *Value) UnmarshalJSON(b []byte) error {
	var decoded any
	if err := json.Unmarshal(b, &decoded); err != nil {
		return err
	}
	switch x := decoded.(type) {
	case float64:
		*v = Number(x)
	case bool:
		*v = Bool(x)
	case string:
		parsed, err := ParseValue(x)
		if err != nil {
			return err
		}
		*v = parsed
	case []any:
		list := make([]float64, len(x))
		for i, e := range x {
			n, ok := e.(float64)
			if !ok {
				return message.Errorf(message.RecipeValue, "%s is not a list of numbers", string(b))
			}
			list[i] = n
		}
		*v = Numbers(list...)
	default:
		return message.Errorf(message.RecipeValue, "%s is not a parameter value", string(b))
	}
	return nil
}
