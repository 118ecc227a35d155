package option

import (
	"fmt"
	"slices"
	"strings"

	"quell/denoise"
)

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

// usageOf describes a parameter and its domain in each filter that has it.
func usageOf(p denoise.Param) string {
	type domain struct {
		text    string
		filters []string
	}
	var domains []domain
	help := p.Help
	for _, f := range denoise.AllFilters() {
		q, ok := f.Param(p.Name)
		if !ok {
			continue
		}
		text := DomainOf(q, f.Strength.Param == q.Name)
		if i := slices.IndexFunc(domains, func(d domain) bool { return d.text == text }); i >= 0 {
			domains[i].filters = append(domains[i].filters, f.Name)
		} else {
			domains = append(domains, domain{text, []string{f.Name}})
		}
		if !strings.Contains(help, q.Help) {
			help += " " + strings.ToUpper(f.Name[:1]) + f.Name[1:] + ": " + q.Help
		}
	}
	parts := make([]string, len(domains))
	for i, d := range domains {
		parts[i] = strings.Join(d.filters, ", ") + ": " + d.text
	}
	return help + " [" + strings.Join(parts, "; ") + "]"
}

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
