package session

import (
	"fmt"
	"reflect"
)

// assemble makes the parts of a session and sets the fields of the struct that whole points to, each by its type. A maker
// is a function that takes parts, and returns one or connects them; it is called once the parts that it takes are there,
// the first of the list first. Assemble panics if no maker returns a part that is taken, or one for an exported field.
func assemble(whole any, makers ...any) {
	parts := map[reflect.Type]reflect.Value{}
	for len(makers) > 0 {
		var waiting []any
		for _, m := range makers {
			f := reflect.ValueOf(m)
			var takes []reflect.Value
			for t := range f.Type().Ins() {
				if part, made := parts[t]; made {
					takes = append(takes, part)
				}
			}
			if len(takes) < f.Type().NumIn() {
				waiting = append(waiting, m)
				continue
			}
			for _, part := range f.Call(takes) {
				parts[part.Type()] = part
			}
		}
		if len(waiting) == len(makers) {
			panic(missing(waiting, parts))
		}
		makers = waiting
	}
	v := reflect.ValueOf(whole).Elem()
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		part, made := parts[v.Field(i).Type()]
		if !made {
			panic(fmt.Sprintf("session: nothing makes %v", v.Field(i).Type()))
		}
		v.Field(i).Set(part)
	}
}

// missing says why none of the makers can be called.
func missing(makers []any, parts map[reflect.Type]reflect.Value) string {
	promised := map[reflect.Type]bool{}
	for _, m := range makers {
		for t := range reflect.TypeOf(m).Outs() {
			promised[t] = true
		}
	}
	for _, m := range makers {
		for t := range reflect.TypeOf(m).Ins() {
			if _, made := parts[t]; !made && !promised[t] {
				return fmt.Sprintf("session: nothing makes %v", t)
			}
		}
	}
	return "session: parts take each other"
}
