package nrrd

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"quell/internal/message"
	"quell/io/raster"
	"quell/volume"
)

// header holds the fields of a header that this package uses.
type header struct {
	sizes      []int64
	datatype   raster.Datatype
	big        bool
	endian     bool // it was given
	packed     raster.Packing
	space      string
	directions [][]float64 // of each axis; nil for "none"
	origin     []float64
	spacings   []float64 // of each axis; NaN if it is unknown
	mins       []float64 // axis mins
	centers    []string
	kinds      []string
	units      []string // space units
	content    string
	frame      [][]float64 // of measurement: its axes in space
	keys       map[string]string
	data       string   // file of the voxels; "" for this one
	files      []string // of a list or a pattern
	parts      int64    // how many they must be
	lineSkip   int64
	byteSkip   int64
}

// maxAxes is the largest dimension of the format.
const maxAxes = 16

var errNotNRRD = message.Errorf(message.InputForeign, "this is not a NRRD file; choose a .nrrd or .nhdr file")

// parse reads the header at the start of a file, up to the empty line behind it or the end.
func parse(file *raster.File) (raster.Text, error) {
	magic, err := file.Line()
	if err != nil || len(magic) != 8 || !strings.HasPrefix(magic, "NRRD000") || magic[7] < '1' || magic[7] > '5' {
		return raster.Text{}, errNotNRRD
	}
	fields, keys := map[string]string{}, map[string]string{}
	for {
		line, err := file.Line()
		if err != nil && !errors.Is(err, io.EOF) {
			return raster.Text{}, err
		}
		if err != nil || line == "" {
			break
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		if key, value, ok := strings.Cut(line, ":="); ok && !strings.Contains(key, ": ") {
			keys[strings.TrimSpace(key)] = strings.TrimSpace(value)
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return raster.Text{}, message.Errorf(message.InputDamaged, "the header has the line %q, which is no field; it is damaged", raster.OneLine(line, 60))
		}
		name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "")
		if _, twice := fields[name]; twice {
			return raster.Text{}, message.Errorf(message.InputDamaged, "the header gives the field %s twice; it is damaged", name)
		}
		fields[name] = strings.TrimSpace(value)
		if name == "datafile" && strings.HasPrefix(fields[name], "LIST") {
			break // the rest are names
		}
	}
	h, err := fromFields(fields)
	if err != nil {
		return raster.Text{}, err
	}
	if h.keys = keys; strings.HasPrefix(h.data, "LIST") {
		if h.files, err = raster.Listed(file); err != nil {
			return raster.Text{}, err
		}
	}
	return raster.Text{Layout: h.layout, Description: h.content, Packed: h.packed, Files: h.files, Parts: h.parts, Lines: h.lineSkip, Skip: h.byteSkip}, nil
}

// fromFields interprets the fields, by their names in lower case and without spaces.
func fromFields(fields map[string]string) (*header, error) {
	h := &header{space: strings.ToLower(fields["space"]), content: fields["content"]}
	dimension, err := strconv.Atoi(fields["dimension"])
	if err != nil || dimension < 1 || dimension > maxAxes {
		return nil, message.Errorf(message.InputDamaged, "the header gives the dimension %q instead of 1 to %d; it is damaged", fields["dimension"], maxAxes)
	}
	for _, word := range strings.Fields(fields["sizes"]) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 1 {
			return nil, message.Errorf(message.InputDamaged, "the header gives the size %q; it is damaged", word)
		}
		h.sizes = append(h.sizes, n)
	}
	if len(h.sizes) != dimension {
		return nil, message.Errorf(message.InputDamaged, "the header gives %d sizes for %d axes; it is damaged", len(h.sizes), dimension)
	}
	code, ok := types[strings.ToLower(fields["type"])]
	if !ok {
		return nil, message.Errorf(message.InputUnsupported, "its voxels are of the type %q, which is not read; save them as float or short", fields["type"])
	}
	h.datatype, _ = raster.DatatypeByCode(code)
	switch strings.ToLower(fields["encoding"]) {
	case "raw":
	case "gzip", "gz":
		h.packed = raster.Deflate
	case "bzip2", "bz2":
		h.packed = raster.Bzip2
	case "hex":
		h.packed = raster.Hex
	case "text", "txt", "ascii":
		h.packed = raster.Decimal
	default:
		return nil, message.Errorf(message.InputUnsupported, "its voxels are encoded as %q; save it with the encoding raw or gzip", fields["encoding"])
	}
	switch strings.ToLower(fields["endian"]) {
	case "little", "":
	case "big":
		h.big = true
	default:
		return nil, message.Errorf(message.InputDamaged, "the header gives the byte order %q; it is damaged", fields["endian"])
	}
	h.endian = fields["endian"] != "" || h.packed == raster.Decimal
	h.big = h.big && h.packed != raster.Decimal
	if err := h.parseSpace(fields); err != nil {
		return nil, err
	}
	return h, h.parseData(fields)
}

// parseSpace reads the positions of the voxels.
func (h *header) parseSpace(fields map[string]string) (err error) {
	list := func(name string) (values []float64) {
		for _, word := range strings.Fields(fields[name]) {
			v, parseErr := strconv.ParseFloat(word, 64)
			if parseErr != nil {
				err = message.Errorf(message.InputDamaged, "the header gives %q among its %s; it is damaged", word, name)
			}
			values = append(values, v)
		}
		if values != nil && len(values) != len(h.sizes) {
			err = message.Errorf(message.InputDamaged, "the header gives %d %s for %d axes; it is damaged", len(values), name, len(h.sizes))
		}
		return values
	}
	h.spacings, h.mins = list("spacings"), list("axismins")
	if err != nil {
		return err
	}
	h.kinds, h.centers, h.units = strings.Fields(strings.ToLower(fields["kinds"])), strings.Fields(strings.ToLower(fields["centers"]+" "+fields["centerings"])), quoted(fields["spaceunits"])
	if len(h.kinds) > 0 && len(h.kinds) != len(h.sizes) {
		return message.Errorf(message.InputDamaged, "the header gives %d kinds for %d axes; it is damaged", len(h.kinds), len(h.sizes))
	}
	if text := fields["spacedirections"]; text != "" {
		if h.directions, err = vectors(text); err != nil {
			return err
		}
		if len(h.directions) != len(h.sizes) {
			return message.Errorf(message.InputDamaged, "the header gives %d space directions for %d axes; it is damaged", len(h.directions), len(h.sizes))
		}
	}
	if text := fields["spaceorigin"]; text != "" {
		origin, err := vectors(text)
		if err != nil {
			return err
		}
		if len(origin) != 1 {
			return message.Errorf(message.InputDamaged, "the header's space origin is no position; it is damaged")
		}
		h.origin = origin[0]
	}
	if text := fields["measurementframe"]; text != "" {
		if h.frame, err = vectors(text); err != nil {
			return err
		}
	}
	return nil
}

// parseData reads in which file and at which byte the voxels are.
func (h *header) parseData(fields map[string]string) (err error) {
	if err := h.parseFiles(fields["datafile"]); err != nil {
		return err
	}
	skip := func(name string) (n int64) {
		if fields[name] == "" {
			return 0
		}
		n, parseErr := strconv.ParseInt(fields[name], 10, 64)
		if parseErr != nil || n < -1 || n > math.MaxInt64/4 {
			err = message.Errorf(message.InputDamaged, "the header gives %q as its %s; it is damaged", fields[name], name)
		}
		return n
	}
	h.lineSkip, h.byteSkip = skip("lineskip"), skip("byteskip")
	if err == nil && (h.lineSkip < 0 || h.packed != raster.Plain && h.byteSkip < 0) {
		err = message.Errorf(message.InputDamaged, "the header gives a negative number of lines or bytes to skip; it is damaged")
	}
	return err
}

// parseFiles reads which files hold the voxels: "NAME", "PATTERN FIRST LAST STEP [AXES]" or "LIST [AXES]", with the
// names on the lines that follow. Each file holds so many of the axes, all but the last if the header does not say.
func (h *header) parseFiles(value string) (err error) {
	words := strings.Fields(value)
	numbers := make([]int, 0, 4)
	damaged := message.Errorf(message.InputDamaged, "the header names its files by %q; it is damaged", raster.OneLine(value, 60))
	if len(words) > 0 && (words[0] == "LIST" || len(words) >= 4 && strings.Contains(words[0], "%")) {
		for _, word := range words[1:] {
			n, err := strconv.Atoi(word)
			if err != nil {
				return damaged
			}
			numbers = append(numbers, n)
		}
	}
	axes := len(h.sizes) - 1
	switch h.data = value; {
	case value == "":
		return nil
	case words[0] == "LIST" && len(numbers) <= 1:
		if len(numbers) == 1 {
			axes = numbers[0]
		}
	case len(numbers) == 3 || len(numbers) == 4:
		if len(numbers) == 4 {
			axes = numbers[3]
		}
		if h.files, err = raster.Numbered(words[0], numbers[0], numbers[1], numbers[2]); err != nil {
			return err
		}
	case len(numbers) > 0:
		return damaged
	default:
		h.files = []string{value}
		return nil
	}
	if axes < 1 || axes > len(h.sizes) {
		return damaged
	}
	if h.parts = 1; axes == len(h.sizes) {
		h.parts = 0 // parts of the last axis
	}
	for _, n := range h.sizes[axes:] {
		if h.parts *= n; h.parts > math.MaxInt32 {
			return damaged
		}
	}
	return nil
}

// vectors parses "(1,0,0) none (0,0,1)"; none is nil.
func vectors(text string) (list [][]float64, err error) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if len(text) >= 4 && strings.EqualFold(text[:4], "none") {
			list, text = append(list, nil), text[4:]
			continue
		}
		end := strings.IndexByte(text, ')')
		if text[0] != '(' || end < 0 {
			return nil, message.Errorf(message.InputDamaged, "the header gives %q instead of a vector; it is damaged", raster.OneLine(text, 60))
		}
		var v []float64
		for _, word := range strings.Split(text[1:end], ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			if err != nil {
				return nil, message.Errorf(message.InputDamaged, "the header gives %q in a vector; it is damaged", raster.OneLine(word, 60))
			}
			v = append(v, x)
		}
		if !slices.ContainsFunc(v, func(x float64) bool { return x == x }) {
			v = nil // (nan,nan,nan) is another way to write none
		}
		list, text = append(list, v), text[end+1:]
	}
	return list, nil
}

// quoted returns the texts in quotation marks.
func quoted(text string) (list []string) {
	parts := strings.Split(text, `"`)
	for i := 1; i < len(parts); i += 2 {
		list = append(list, parts[i])
	}
	return list
}

// single are the kinds of axes with elements that are values of their own, not parts of
// one.
var single = []string{"domain", "space", "time", "list", "point-list", "none", "???", "stub", "scalar"}

// inSpace reports which axes are axes of space. The others are behind them, or all before them: volumes.
func (h *header) inSpace() ([]bool, error) {
	in := make([]bool, len(h.sizes))
	for i := range in {
		switch {
		case h.directions != nil:
			d := h.directions[i]
			in[i] = d != nil && slices.ContainsFunc(d[:min(3, len(d))], func(x float64) bool { return x != 0 })
		case len(h.kinds) > 0 && !slices.Contains([]string{"domain", "space", "???", "none"}, h.kinds[i]):
		default:
			in[i] = i < 3
		}
		if len(h.kinds) > 0 && !slices.Contains(single, h.kinds[i]) && h.sizes[i] > 1 {
			return nil, message.Errorf(message.InputUnsupported, "its voxels are vectors or colours (kind %s) and not single numbers; save one component as an image", h.kinds[i])
		}
	}
	if first := slices.Index(in, true); first >= 0 {
		for i := first + 1; i < len(in); i++ {
			if in[i] && h.leading(in[first:i], h.sizes[first:]) > 1 || !in[i] && h.sizes[i] > 1 && h.beside(in) {
				return nil, message.Errorf(message.InputUnsupported, "its axes of volumes lie between those in space; save them with the axes of volumes last")
			}
		}
	}
	if n := count(in); n < 1 || n > 3 {
		return nil, message.Errorf(message.InputDamaged, "the header gives %d axes in space instead of 1 to 3; it is damaged", n)
	}
	return in, nil
}

// leading returns the length of the first axis that is not in space.
func (h *header) leading(in []bool, sizes []int64) int64 {
	for i, space := range in {
		if !space && sizes[i] > 1 {
			return sizes[i]
		}
	}
	return 1
}

// beside reports whether the volumes are stored voxel by voxel beside each other: their axes are before those in space.
func (h *header) beside(in []bool) bool { return h.leading(in[:slices.Index(in, true)], h.sizes) > 1 }

func count(in []bool) (n int) {
	for _, yes := range in {
		if yes {
			n++
		}
	}
	return n
}

// toLPS are the signs by which positions in a space are multiplied.
var toLPS = map[string]volume.Vec{
	"left-posterior-superior": {1, 1, 1}, "lps": {1, 1, 1}, "left-posterior-superior-time": {1, 1, 1}, "lpst": {1, 1, 1},
	"right-anterior-superior": {-1, -1, 1}, "ras": {-1, -1, 1}, "right-anterior-superior-time": {-1, -1, 1}, "rast": {-1, -1, 1},
	"left-anterior-superior": {1, -1, 1}, "las": {1, -1, 1}, "left-anterior-superior-time": {1, -1, 1}, "last": {1, -1, 1},
}

// millimetres are the units of space, in mm.
var millimetres = map[string]float64{"": 1, "mm": 1, "cm": 10, "m": 1000, "um": 1e-3, "microns": 1e-3, "micron": 1e-3}
