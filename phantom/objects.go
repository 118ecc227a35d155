package phantom

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/volume"
)

// Size is the grid of a phantom. Zero values mean the kind's own.
type Size struct {
	Dims    [3]int
	Spacing [3]float64 // mm
}

// kinds are the phantoms by name; each has a default size.
var kinds = map[string]struct {
	size  Size
	build func(volume.Geometry) Phantom
}{
	"abdomen": {Size{[3]int{512, 512, 16}, [3]float64{0.75, 0.75, 0.75}}, abdomen},
	"ct":      {Size{[3]int{512, 512, 8}, [3]float64{0.5, 0.5, 2.5}}, ct},
	"mr":      {Size{[3]int{192, 224, 48}, [3]float64{1, 1, 1}}, mr},
	"steps":   {Size{[3]int{128, 128, 16}, [3]float64{1, 1, 1}}, steps},
}

// Kinds returns the names that New takes.
func Kinds() []string { return []string{"ct", "abdomen", "mr", "steps"} }

// New returns the phantom of a kind on a grid. The object keeps its size in mm:
// another grid shows it finer, coarser or in part.
func New(kind string, size Size) (Phantom, error) {
	k, ok := kinds[kind]
	if !ok {
		return Phantom{}, fmt.Errorf("no phantom is called %q; there are %s", kind, strings.Join(Kinds(), ", "))
	}
	if size.Dims == [3]int{} {
		size.Dims = k.size.Dims
	}
	if size.Spacing == [3]float64{} {
		size.Spacing = k.size.Spacing
	}
	g := volume.NewGeometry(size.Dims, size.Spacing)
	if err := g.Validate(); err != nil {
		return Phantom{}, err
	}
	p := k.build(g)
	p.Kind = kind
	return p, nil
}

var endless = math.Inf(1)

// disc is a rod of circular section along z.
func disc(name string, x, y, diameter, value float64) Shape {
	return Shape{Name: name, Centre: [3]float64{x, y, 0}, Half: [3]float64{diameter / 2, diameter / 2, endless}, Value: value}
}

// around returns the point at a radius and an angle in degrees.
func around(radius, degrees float64) (x, y float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return radius * cos, radius * sin
}

// The inserts of the CT phantom, after the modules of the Catphan: contrasts in
// HU to the tissue around them, diameters in mm.
var (
	ctContrasts = []float64{3, 5, 7, 10}
	ctDiameters = []float64{2, 3, 4, 5, 6, 8, 10, 15}       // from the middle outwards
	ctRods      = []float64{910, 300, 80, -75, -140, -1040} // bone, Delrin, acrylic, polystyrene, fat, air
)

// ctTissue is the value of the CT phantom's soft tissue in HU.
const ctTissue = 40

// ct is a head-sized cylinder of soft tissue within a ring of bone. Discs of 3
// to 10 HU and 2 to 15 mm, two ventricles and two tilted bars lie in it; rods of
// six materials stand in a circle, as do spheres that cross some slices only.
func ct(g volume.Geometry) Phantom {
	p := Phantom{Geometry: g, Unit: "HU", Background: -1000}
	add := func(s Shape) { p.Shapes = append(p.Shapes, s) }
	add(Shape{Name: "skin", Half: [3]float64{92, 112, endless}, Value: 1000 + 20})
	add(Shape{Name: "skull", Half: [3]float64{87, 107, endless}, Value: 900 - 20})
	add(Shape{Name: "tissue", Half: [3]float64{80, 100, endless}, Value: ctTissue - 900})
	for j, c := range ctContrasts {
		// One quadrant for each contrast, two discs on each of four arcs.
		for i, d := range ctDiameters {
			radius := []float64{16, 16, 24, 24, 34, 34, 47, 47}[i]
			degrees := []float64{-22, 22, -22, 22, -18, 14, -24, 12}[i]
			x, y := around(radius, float64(j)*90+45+degrees)
			add(disc(fmt.Sprintf("disc of %g HU, %g mm", c, d), x, y, d, c))
		}
	}
	for i, v := range ctRods {
		x, y := around(69, float64(i)*60+5)
		add(disc(fmt.Sprintf("rod of %g HU", ctTissue+v), x, y, 7, v))
	}
	for _, side := range []float64{-1, 1} {
		add(Shape{Name: "ventricle", Centre: [3]float64{side * 5, 2, 0}, Half: [3]float64{2.5, 8, endless}, Angle: -side * 0.35, Value: -30})
		add(Shape{Name: "bar", Box: true, Centre: [3]float64{side * 18, -84, 0}, Half: [3]float64{12, 4, endless}, Angle: side * 0.2, Value: 20})
	}
	for i := range 3 {
		x, y := around(84, float64(i)*30+60)
		r := 3 + float64(i)
		add(Shape{Name: "sphere", Centre: [3]float64{x, y, 0}, Half: [3]float64{r, r, r}, Value: 15})
	}
	return p
}

// abdomen is a body of fat and muscle with a spine, liver, kidneys, aorta and loops of
// bowel: walls with contrast medium around a lumen without, as in CT enterography. Loops
// and vertebrae repeat along z. Values are in HU.
func abdomen(g volume.Geometry) Phantom {
	p := Phantom{Geometry: g, Unit: "HU", Background: -1000}
	add := func(name string, x, y, z, hx, hy, hz, angle, value float64) {
		p.Shapes = append(p.Shapes, Shape{Name: name, Centre: [3]float64{x, y, z}, Half: [3]float64{hx, hy, hz}, Angle: angle, Value: value})
	}
	add("skin", 0, 0, 0, 168, 118, endless, 0, 1000-100)
	add("muscle", 0, 0, 0, 148, 98, endless, 0, 150)
	add("fat within", 0, -8, 0, 132, 78, endless, 0, -140)
	add("liver", -72, -12, 0, 52, 52, 90, 0.3, 200)
	add("spleen", 104, 34, 20, 18, 26, 60, -0.4, 195)
	for _, side := range []float64{-1, 1} {
		add("kidney", side*62, 46, -20, 20, 26, 55, side*0.4, 270)
	}
	add("aorta", 8, 44, 0, 10, 10, endless, 0, 350)
	length := float64(g.Dims[2]) * g.Spacing[2]
	for z := -math.Floor(length/80) * 40; z <= length/2; z += 40 { // a vertebra every 40 mm
		add("vertebra", 0, 72, z, 22, 17, 16, 0, 450)
		add("marrow", 0, 72, z, 17, 12, 12, 0, -250)
	}
	for z := -math.Floor(length/72) * 36; z <= length/2; z += 36 {
		for i := range 8 {
			x, y := around(40, float64(i)*45+z)
			add("wall", 40+x*1.2, -22+y*0.8, z+float64(i%3)*9, 13, 11, 16, float64(i), 210)
			add("lumen", 40+x*1.2, -22+y*0.8, z+float64(i%3)*9, 10, 8, 13, float64(i), -90)
		}
	}
	return p
}

// mr is a head of T1 contrast: scalp, skull, cerebrospinal fluid, folded grey
// matter, white matter, ventricles, deep nuclei and small lesions. Values are as in
// a magnitude image with a maximum of 255; air is 0.
func mr(g volume.Geometry) Phantom {
	p := Phantom{Geometry: g}
	add := func(name string, centre, half [3]float64, angle, value float64) {
		p.Shapes = append(p.Shapes, Shape{Name: name, Centre: centre, Half: half, Angle: angle, Value: value})
	}
	const scalp, skull, fluid, grey, white = 230, 15, 40, 115, 165
	var o [3]float64
	add("scalp", o, [3]float64{84, 102, 90}, 0, scalp)
	add("skull", o, [3]float64{79, 97, 85}, 0, skull-scalp)
	add("fluid", o, [3]float64{73, 91, 79}, 0, fluid-skull)
	add("grey matter", o, [3]float64{70, 88, 76}, 0, grey-fluid)
	add("white matter", o, [3]float64{62, 80, 68}, 0, white-grey)
	// Folds: grey sulci that run inwards through the white matter, each with a
	// sheet of fluid in its middle.
	for i := range 18 {
		degrees := float64(i)*20 + 7
		x, y := around(1, degrees)
		depth := 0.70 + 0.03*float64(i%3)
		c := [3]float64{62 * depth * x, 80 * depth * y, float64(i%5-2) * 4}
		add("sulcus", c, [3]float64{13, 4.5, 36}, degrees*math.Pi/180, grey-white)
		add("sulcal fluid", c, [3]float64{11, 1.4, 32}, degrees*math.Pi/180, fluid-grey)
	}
	for _, side := range []float64{-1, 1} {
		add("ventricle", [3]float64{side * 11, 4, 6}, [3]float64{6, 26, 14}, -side*0.18, fluid-white)
		add("nucleus", [3]float64{side * 25, 0, 0}, [3]float64{7, 14, 11}, side*0.2, grey+15-white)
		for k := range 4 {
			r := 1.5 + 0.8*float64(k)
			add("lesion", [3]float64{side * (20 + 6*float64(k)), -34 - 5*float64(k), float64(k)*6 - 9}, [3]float64{r, r, r}, 0, -25-5*side)
		}
	}
	return p
}

// steps is a box of flat plates of rising value with discs of four contrasts in
// each, in the unit of its noise: steps of 20, discs of 2.5 to 20.
func steps(g volume.Geometry) Phantom {
	p := Phantom{Geometry: g, Background: 20}
	const plates = 6
	width := float64(g.Dims[0]) * g.Spacing[0]
	height := float64(g.Dims[1]) * g.Spacing[1]
	// Plate i adds its step to everything right of its left edge.
	for i := range plates {
		left := -width/2 + width*float64(i)/plates
		right := width / 2
		p.Shapes = append(p.Shapes, Shape{Name: "plate", Box: true, Centre: [3]float64{(left + right) / 2, 0, 0},
			Half: [3]float64{(right - left) / 2, 0.45 * height, endless}, Value: 20})
		for k, c := range slices.Backward([]float64{2.5, 5, 10, 20}) {
			p.Shapes = append(p.Shapes, disc(fmt.Sprintf("disc of %g", c), left+width/plates/2,
				height*(float64(k)-1.5)*0.2, 0.05*width+float64(k), c))
		}
	}
	return p
}
