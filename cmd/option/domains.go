package option

import (
	"fmt"
	"strings"

	"quell/denoise"
)

// TypeOf is how help names the value of a parameter.
func TypeOf(p denoise.Param) string {
	switch p.Kind {
	case denoise.Int:
		return "n"
	case denoise.Choice:
		return "word"
	case denoise.Switch:
		return ""
	case denoise.Ints:
		return "n,n,..."
	}
	return "x"
}

// DomainOf is what a parameter takes, in words; strength says that it is the strength of its filter.
func DomainOf(p denoise.Param, strength bool) string {
	var b strings.Builder
	switch p.Kind {
	case denoise.Choice:
		b.WriteString(strings.Join(p.Choices, " or "))
		if p.Auto != nil {
			b.WriteString(" or auto")
		}
	case denoise.Switch:
		b.WriteString("true or false")
	default:
		b.WriteString(p.Domain().String())
		switch p.Unit {
		case "":
		case "value":
			b.WriteString(" in the volume's unit, or in sigmas of its noise (1.2sigma)")
		default:
			b.WriteString(" " + p.Unit)
		}
		if p.Percent {
			b.WriteString(" or 0% to 100% of its range")
		}
		for _, r := range p.Rules {
			b.WriteString(" or " + r.Name)
		}
		if p.Auto != nil {
			b.WriteString(" or auto")
		}
		if strength {
			b.WriteString(" or sure")
		}
		if p.Mixes {
			b.WriteString(" or visible")
		}
	}
	fmt.Fprintf(&b, ", default %s", p.Default)
	return b.String()
}
