package denoise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"quell/denoise/equalise"
	"quell/internal/message"
)

// RecipeVersion is the version of the recipe format and of the filters'
// definitions; a recipe of another version is refused.
const RecipeVersion = 1

// Recipe is a filter and everything that decides its result. It is a value:
// With returns a changed copy.
type Recipe struct {
	Version int              `json:"version"`
	Filter  string           `json:"filter"`
	Dims    int              `json:"dims"` // 2: slice by slice; 3: as a volume
	Params  map[string]Value `json:"parameters"`
	// InSigmas states that numbers in the volume's unit count in sigmas of a noise
	// map, without which the recipe cannot run. Resolve sets it.
	InSigmas bool `json:"in_sigmas,omitempty"`
	// Equaliser takes what the filter removes by frequency, if the strength is between 0 and 100: nil takes the share
	// that the strength is, at all frequencies alike, and an empty one is to be found before Resolve.
	Equaliser equalise.Weights `json:"equaliser,omitzero"`
}

// NewRecipe returns the default recipe of a filter; dims 0 selects its default
// dimensionality.
func NewRecipe(filter string, dims int) (Recipe, error) {
	f, err := FilterByName(filter)
	if err != nil {
		return Recipe{}, err
	}
	if dims == 0 {
		dims = f.Dims[0]
	}
	r := Recipe{Version: RecipeVersion, Filter: f.Name, Dims: dims, Params: map[string]Value{}}
	for _, p := range f.Params {
		r.Params[p.Name] = p.Default
	}
	return r, r.Validate()
}

// With returns a copy with one parameter changed. Another strength has another equaliser, to be found.
func (r Recipe) With(name string, v Value) Recipe {
	r.Params = maps.Clone(r.Params)
	if r.Params == nil {
		r.Params = map[string]Value{}
	}
	r.Params[name] = v
	if name == strengthName {
		if r.Equaliser = equaliserOf(v); r.SeriesFilter() != nil {
			r.Equaliser = nil // it takes the share at all frequencies
		}
	}
	return r
}

// Set returns a copy with one parameter changed as a user changes it, see
// [Recipe.SetAll].
func (r Recipe) Set(name string, v Value) Recipe { return r.SetAll(map[string]Value{name: v}) }

// SetAll returns a copy with the given parameters changed, and with what follows
// from them for the others:
//
//   - A switch that is turned on gives the values that it implies (Param.Implies)
//     to parameters at their default; turned off, it takes them back.
//   - Parameters that the recipe now ignores return to their default.
//
// A parameter in given has the value given, whatever the others imply.
func (r Recipe) SetAll(given map[string]Value) Recipe {
	f, err := FilterByName(r.Filter)
	if err != nil {
		f = Filter{}
	}
	out := r
	for name, v := range given {
		out = out.With(name, v)
	}
	for _, p := range f.Params {
		on := out.Get(p.Name).On()
		if p.Kind != Switch || on == r.Get(p.Name).On() {
			continue
		}
		for name, implied := range p.Implies {
			other, _ := f.Param(name)
			from, to := other.Default, implied
			if !on {
				from, to = to, from
			}
			if _, fixed := given[name]; !fixed && out.Get(name).Equal(from) {
				out = out.With(name, to)
			}
		}
	}
	for _, p := range f.Params {
		if _, fixed := given[p.Name]; !fixed && !out.ignores(p).IsZero() {
			out = out.With(p.Name, p.Default)
		}
	}
	if len(out.Equaliser) > 0 { // it belongs to the other values
		out.Equaliser = equalise.Weights{}
	}
	return out
}

// Ignores returns a sentence that says why the recipe does not use a parameter,
// or "" if it does.
func (r Recipe) Ignores(name string) message.Message {
	f, err := FilterByName(r.Filter)
	if err != nil {
		return message.Message{}
	}
	p, ok := f.Param(name)
	if !ok {
		return message.Message{}
	}
	if why := r.ignores(p); !why.IsZero() {
		return message.New(message.RecipeIneffective, "%s has no effect: %s", name, why)
	}
	return message.Message{}
}

func (r Recipe) ignores(p Param) message.Message {
	if p.Ignored == nil {
		return message.Message{}
	}
	return p.Ignored(r)
}

// Get returns a parameter's value. If the recipe does not name it, that is the value of
// recipes from before the parameter ([Param.Absent]), or else its default.
func (r Recipe) Get(name string) Value {
	if v, ok := r.Params[name]; ok {
		return v
	}
	if f, err := FilterByName(r.Filter); err == nil {
		if p, ok := f.Param(name); ok {
			return p.absent()
		}
	}
	return Auto
}

// Tunes reports whether a strength is to be found before the recipe is resolved: that
// of the filter by SURE, or of the mixture by what stays visible; or its equaliser.
func (r Recipe) Tunes() bool { return r.Dials() || r.Equalises() || r.Searches() }

// Dials reports whether the strength of the mixture is Visible.
func (r Recipe) Dials() bool { return r.Get(strengthName).IsVisible() }

// Searches reports whether the strength of the filter is SURE.
func (r Recipe) Searches() bool {
	f, err := FilterByName(r.Filter)
	return err == nil && f.Strength.Param != "" && r.Get(f.Strength.Param).IsSURE()
}

// Coarse returns a recipe with a result that resembles the one of r, which must be
// resolved, at a fraction of its cost, for a first look while r runs; ok is false if the
// filter has none, or r is as cheap.
func (r Recipe) Coarse() (coarse Recipe, ok bool) {
	f, err := FilterByName(r.Filter)
	if err != nil || f.Coarse == nil {
		return r, false
	}
	return f.Coarse(r)
}

// Equal reports whether two recipes give the same result.
func (r Recipe) Equal(o Recipe) bool {
	if r.Version != o.Version || r.Filter != o.Filter || r.Dims != o.Dims || r.InSigmas != o.InSigmas || (r.Equaliser == nil) != (o.Equaliser == nil) || !slices.Equal(r.Equaliser, o.Equaliser) {
		return false
	}
	f, err := FilterByName(r.Filter)
	if err != nil {
		return false
	}
	for _, p := range f.Params {
		if !r.Get(p.Name).Equal(o.Get(p.Name)) {
			return false
		}
	}
	return true
}

// Validate reports why no engine can run the recipe: the first mistake in it.
func (r Recipe) Validate() error {
	if r.Version != RecipeVersion {
		return message.Errorf(message.RecipeUnreadable, "recipe version %d; this Quell reads version %d", r.Version, RecipeVersion)
	}
	f, err := FilterByName(r.Filter)
	if err != nil {
		return err
	}
	if !slices.Contains(f.Dims, r.Dims) {
		return message.Errorf(message.RecipeFilter, "%s has no %d-D form", f.Name, r.Dims)
	}
	for name, v := range r.Params {
		p, ok := f.Param(name)
		if !ok {
			return message.Errorf(message.RecipeParameter, "%s has no parameter %s", f.Name, name)
		}
		if err := p.Check(v); err != nil {
			return message.Named(f.Name, err)
		}
		if v.IsSURE() && name != f.Strength.Param {
			return message.Errorf(message.RecipeValue, "%s: %s is not its strength, which alone can be found by sure", f.Name, name)
		}
	}
	if len(r.Equaliser) > 0 {
		if err := r.Equaliser.Check(r.Dims == 3); err != nil {
			return message.Named(f.Name, err)
		}
	}
	for _, p := range f.Params {
		if why := r.Ignores(p.Name); !why.IsZero() && !r.Get(p.Name).Equal(p.Default) {
			return fmt.Errorf("%s: %s", f.Name, why)
		}
	}
	return nil
}

// String returns a short form for labels and derivation descriptions:
// "nlm 3-D h=10 patch-radius=1 ...", parameters in the filter's order, those at their
// default, absent from older recipes or off left out, numbers rounded
// to six digits. It cannot be parsed.
func (r Recipe) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d-D", r.Filter, r.Dims)
	f, err := FilterByName(r.Filter)
	if err != nil {
		return b.String()
	}
	for _, p := range f.Params {
		v := r.Get(p.Name)
		off := (p.Name == stabiliseName || p.Default.IsAuto() && !p.Basic && !p.Level) && (v.Equal(Number(0)) || v.Equal(Bool(false))) || !p.Absent.IsAuto() && v.Equal(p.Absent)
		if !off && !v.Equal(p.Default) {
			if p.Kind == Float {
				v.num, _ = strconv.ParseFloat(strconv.FormatFloat(v.num, 'g', 6, 64), 64)
			}
			fmt.Fprintf(&b, " %s=%s", p.Name, v)
		}
	}
	if len(r.Equaliser) > 0 {
		b.WriteString(" equalised")
	}
	if r.InSigmas {
		b.WriteString(" in sigmas of the noise map")
	}
	return b.String()
}

// ParseRecipe reads a recipe from JSON and validates it. Unknown fields are
// refused: a misspelt parameter must not silently mean the default.
func ParseRecipe(data []byte) (Recipe, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var r Recipe
	if err := dec.Decode(&r); err != nil {
		return Recipe{}, fmt.Errorf("recipe: %w", err)
	}
	if err := r.Validate(); err != nil {
		return Recipe{}, fmt.Errorf("recipe: %w", err)
	}
	return r, nil
}
