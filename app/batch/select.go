package batch

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"quell/app/job"
	"quell/app/open"
	"quell/io/dicom"
)

// Criteria are conditions on the attributes of a series, which must all hold. The
// zero Criteria take every series.
type Criteria struct{ conditions []condition }

type condition struct {
	attribute, operator, value string
	number                     float64
	isNumber                   bool
	pattern                    *regexp.Regexp // of ~ and !~
}

// own are the attributes that every format has.
var own = map[string]func(u Unit, e open.Entry) []string{
	"Path":   func(u Unit, e open.Entry) []string { return []string{cmp.Or(u.Given, u.Name)} },
	"Format": func(u Unit, e open.Entry) []string { return []string{e.Format} },
	"Part": func(u Unit, e open.Entry) []string {
		if e.Group != nil || e.Part == "" {
			return nil
		}
		return []string{e.Part}
	},
	"Slices": func(u Unit, e open.Entry) []string { return []string{strconv.Itoa(e.Slices)} },
	"Volumes": func(u Unit, e open.Entry) []string {
		if e.Group == nil {
			return []string{"1"}
		}
		return []string{strconv.Itoa(e.Group.Len())}
	},
	"Rows":    func(u Unit, e open.Entry) []string { return []string{strconv.Itoa(e.Geometry.Dims[1])} },
	"Columns": func(u Unit, e open.Entry) []string { return []string{strconv.Itoa(e.Geometry.Dims[0])} },
	"SliceSpacing": func(u Unit, e open.Entry) []string {
		return []string{strconv.FormatFloat(e.Geometry.Spacing[2], 'g', -1, 64)}
	},
}

var conditionSyntax = regexp.MustCompile(`^\s*([A-Za-z]\w*)\s*(<=|>=|!=|!~|=|<|>|~)\s*`)

// ParseSelection reads conditions: "Modality=CT,SliceThickness<=1.5,SeriesDescription~B30". A
// comma divides conditions if another follows. The error is an *job.UsageError.
func ParseSelection(text string) (Criteria, error) {
	var s Criteria
	for rest := text; rest != ""; {
		head := conditionSyntax.FindStringSubmatch(rest)
		if head == nil {
			return s, job.Usagef("--select %q: write conditions like Modality=CT,SliceThickness<=1.5; the comparisons are = != < <= > >= and ~ !~ for a pattern", rest)
		}
		c := condition{attribute: head[1], operator: head[2]}
		value := rest[len(head[0]):]
		end := len(value)
		for i := range len(value) {
			if value[i] == ',' && conditionSyntax.MatchString(value[i+1:]) {
				end = i
				break
			}
		}
		c.value, rest = strings.TrimSpace(value[:end]), strings.TrimPrefix(value[end:], ",")
		if err := c.check(); err != nil {
			return s, err
		}
		s.conditions = append(s.conditions, c)
	}
	return s, nil
}

// check refuses a condition that no series could fulfil.
func (c *condition) check() (err error) {
	if _, known := own[c.attribute]; !known && !dicom.KnownAttribute(c.attribute) {
		return job.Usagef("--select: there is no attribute %s; give a keyword of DICOM (Modality, SliceThickness, SeriesDescription) or Path, Format, Part, Volumes, Slices, Rows, Columns, SliceSpacing", c.attribute)
	}
	c.number, err = strconv.ParseFloat(c.value, 64)
	c.isNumber = err == nil
	switch c.operator {
	case "<", "<=", ">", ">=":
		if !c.isNumber {
			return job.Usagef("--select: %s%s%s compares with a number", c.attribute, c.operator, c.value)
		}
	case "~", "!~":
		if c.pattern, err = regexp.Compile("(?i)" + c.value); err != nil {
			return job.Usagef("--select: %s is no regular expression", c.value)
		}
	}
	return nil
}

// Takes reports whether a series fulfils all conditions. A condition on an attribute that the
// series does not have is not fulfilled, unless it is a negation. Of several values one has to
// fulfil it; of a negation, all.
func (s Criteria) Takes(ctx context.Context, u Unit, e open.Entry) (bool, error) {
	for _, c := range s.conditions {
		var values []string
		if get, known := own[c.attribute]; known {
			values = get(u, e)
		} else {
			var err error
			if values, err = e.Attribute(ctx, c.attribute); err != nil {
				return false, err
			}
		}
		held := slices.ContainsFunc(values, c.holds)
		if strings.HasPrefix(c.operator, "!") {
			held = !held
		}
		if !held {
			return false, nil
		}
	}
	return true, nil
}

// holds compares one value; a negation compares like what it negates.
func (c condition) holds(value string) bool {
	if c.pattern != nil {
		return c.pattern.MatchString(value)
	}
	x, err := strconv.ParseFloat(value, 64)
	if c.operator == "=" || c.operator == "!=" {
		return strings.EqualFold(value, c.value) || err == nil && c.isNumber && x == c.number
	}
	if err != nil {
		return false
	}
	order := cmp.Compare(x, c.number)
	switch c.operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}
