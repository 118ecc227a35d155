package dialogs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"quell/app/pacs"
	"quell/ui/control"
)

// kept stands for the file of places.
type kept struct {
	places []pacs.Place
	fails  error
}

func (k *kept) save(former string, p pacs.Place) ([]pacs.Place, error) {
	if k.fails != nil {
		return nil, k.fails
	}
	k.places = append(slices.DeleteFunc(slices.Clone(k.places), func(o pacs.Place) bool { return o.Name == former }), p)
	return k.places, nil
}

func (k *kept) remove(name string) ([]pacs.Place, error) {
	k.places = slices.DeleteFunc(slices.Clone(k.places), func(o pacs.Place) bool { return o.Name == name })
	return k.places, nil
}

// TestPlacesAreChanged adds a place of each protocol, renames one and removes one. What the form hides is not kept.
func TestPlacesAreChanged(t *testing.T) {
	w := parent(t)
	k := &kept{}
	Places(PlacesRequest{Save: k.save, Remove: k.remove}, w).Show()
	field := func(hint string) *control.Entry {
		t.Helper()
		for _, e := range find[*control.Entry](t, w) {
			if e.PlaceHolder == hint {
				return e
			}
		}
		t.Fatalf("there is no field %q", hint)
		return nil
	}
	selects := func() (known, signIn *control.Select) {
		all := find[*control.Select](t, w)
		return all[0], all[1]
	}
	known, signIn := selects()
	name, to, title, secret, token := field("home"), field("https://HOST/PATH or AETITLE@HOST:PORT"), field("QUELL"), field("file:/PATH or env:NAME"), field("https://HOST/token")
	save, remove := button(t, w, "Save"), button(t, w, "Remove")
	if !save.Disabled() || !remove.Disabled() || secret.Visible() {
		t.Fatal("an empty place can be saved or removed, or asks for a secret")
	}

	to.SetText("https://pacs.example/dicom-web")
	if title.Visible() || !signIn.Visible() || !save.Disabled() {
		t.Error("DICOMweb has an AE title or no sign-in, or a place without a name can be saved")
	}
	name.SetText("the ward")
	if !save.Disabled() || !strings.Contains(texts(t, w), "letters, digits, dots, hyphens") {
		t.Errorf("the name is refused by %q", texts(t, w))
	}
	name.SetText("home")
	signIn.SetSelected("client")
	if !secret.Visible() || !token.Visible() || !save.Disabled() {
		t.Error("a sign-in without a secret is saved, or no secret is asked for")
	}
	secret.SetText("user:password")
	if !save.Disabled() || !strings.Contains(texts(t, w), "it is never given itself") {
		t.Error("a secret can be typed")
	}
	secret.SetText("env:PACS_SECRET")
	token.SetText("https://pacs.example/token")
	signIn.SetSelected("basic") // the address of tokens is hidden, and not kept
	test.Tap(save)
	want := pacs.Place{Name: "home", To: "https://pacs.example/dicom-web", SignIn: pacs.SignIn{Way: "basic", Secret: "env:PACS_SECRET"}}
	if len(k.places) != 1 || k.places[0] != want || known.Selected != "home" || !strings.Contains(texts(t, w), "home is kept.") {
		t.Fatalf("kept are %+v, chosen %q: %s", k.places, known.Selected, texts(t, w))
	}

	known.SetSelected("New PACS node")
	name.SetText("home")
	to.SetText("WARD@pacs.example:104")
	if !save.Disabled() || !strings.Contains(texts(t, w), "There is a PACS node of this name") {
		t.Error("a new place replaces another of its name")
	}
	name.SetText("ward")
	title.SetText("READING")
	k.fails = errors.New("the disk is full")
	test.Tap(save)
	if len(k.places) != 1 || !strings.Contains(texts(t, w), "The disk is full.") || to.Text != "WARD@pacs.example:104" {
		t.Errorf("after a failure there are %+v and %q", k.places, to.Text)
	}
	k.fails = nil
	test.Tap(save)
	if len(k.places) != 2 || k.places[1] != (pacs.Place{Name: "ward", To: "WARD@pacs.example:104", From: "READING"}) {
		t.Fatalf("%+v", k.places)
	}

	known.SetSelected("home")
	if to.Text != want.To || secret.Text != "env:PACS_SECRET" || signIn.Selected != "basic" || !secret.Visible() {
		t.Errorf("chosen is %q with %q", to.Text, secret.Text)
	}
	name.SetText("hospital")
	test.Tap(save)
	if len(k.places) != 2 || k.places[1].Name != "hospital" || k.places[1].SignIn != want.SignIn {
		t.Errorf("after a new name there are %+v", k.places)
	}
	test.Tap(remove)
	if len(k.places) != 1 || k.places[0].Name != "ward" || name.Text != "" || !remove.Disabled() {
		t.Errorf("after the removal there are %+v, and the form has %q", k.places, name.Text)
	}
}

// TestAPlaceIsTested: the answer for an address that was changed meanwhile is dropped.
func TestAPlaceIsTested(t *testing.T) {
	w := parent(t)
	var asked []pacs.Place
	var answers []func(error)
	d := Places(PlacesRequest{
		Places: []pacs.Place{{Name: "ward", To: "WARD@pacs.example:104", TLS: true}},
		Echo: func(_ context.Context, p pacs.Place, done func(error)) {
			asked, answers = append(asked, p), append(answers, done)
		},
	}, w)
	d.Show()
	probe := button(t, w, "Test the connection")
	if !probe.Disabled() {
		t.Error("nothing can be tested")
	}
	find[*control.Select](t, w)[0].SetSelected("ward")
	test.Tap(probe)
	if len(asked) != 1 || asked[0] != (pacs.Place{Name: "ward", To: "WARD@pacs.example:104", TLS: true}) || !probe.Disabled() {
		t.Fatalf("asked %+v", asked)
	}
	find[*control.Entry](t, w)[0].SetText("ward2")
	answers[0](nil)
	if strings.Contains(texts(t, w), "The PACS answers.") {
		t.Error("an old answer is shown")
	}
	test.Tap(probe)
	answers[1](errors.New("nobody answers"))
	if !strings.Contains(texts(t, w), "Nobody answers.") || probe.Disabled() {
		t.Errorf("%q", texts(t, w))
	}
	test.Tap(probe)
	answers[2](nil)
	if !strings.Contains(texts(t, w), "The PACS answers.") {
		t.Errorf("%q", texts(t, w))
	}
	test.Tap(probe)
	d.Hide()
	answers[3](errors.New("too late"))
}
