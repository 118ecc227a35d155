package main

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// makeTree writes a folder as research groups have them: twenty series of 400 small
// slices in nested folders, some with long or non-ASCII names, 2000 other files,
// circular links, an unreadable file, a zip and a DICOMDIR.
func makeTree(dir string) error {
	from, err := originals()
	if err != nil {
		return err
	}
	const side = 64
	pixels := from[0].value(pixelData)[:2*side*side]
	for s := range 20 {
		folder := filepath.Join(dir, fmt.Sprintf("patient %d", s/4), "Köpfe 頭部", fmt.Sprintf("series-%02d", s))
		if s%5 == 4 {
			folder = filepath.Join(folder, strings.Repeat("long-", 40), strings.Repeat("name-", 20))
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		for z := range 400 {
			uid := fmt.Sprintf("UI:2.25.10000%d.%d", s, z)
			file := from[0].with(map[tag]string{
				sopInstanceUID: uid, metaInstanceUID: uid, seriesInstanceUID: fmt.Sprintf("UI:2.25.10000%d", s),
				seriesNumber: fmt.Sprintf("IS:%d", s), instanceNumber: fmt.Sprintf("IS:%d", z),
				imagePosition: fmt.Sprintf("DS:0\\%.6f\\%.6f", 0.3173047*float64(z), 0.9483237*float64(z)),
				rows:          "US:\x40\x00", columns: "US:\x40\x00",
			}).bytes(noisy(pixels, uint64(z), true))
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%04d", z)), file, 0o666); err != nil {
				return err
			}
		}
		for i := range 100 {
			name := filepath.Join(folder, fmt.Sprintf("notes %d.txt", i))
			if err := os.WriteFile(name, []byte(strings.Repeat("This is no image. ", 10+i)), 0o666); err != nil {
				return err
			}
		}
	}
	return makeOddities(dir)
}

func makeOddities(dir string) error {
	for name, target := range map[string]string{"self": "self", "up": ".", "gone": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0); err != nil {
		return err
	}
	// A DICOMDIR without a record: readers recognise it by its SOP class.
	index := parse(append(make([]byte, 128), "DICM\x02\x00\x00\x00UL\x04\x00\x00\x00\x00\x00"...)).with(map[tag]string{
		0x00020002: "UI:1.2.840.10008.1.3.10", 0x00020010: "UI:1.2.840.10008.1.2.1", 0x00041130: "CS:TREE",
	})
	if err := os.WriteFile(filepath.Join(dir, "DICOMDIR"), index.bytes(nil), 0o666); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "archive.zip"))
	if err != nil {
		return err
	}
	z := zip.NewWriter(f)
	if w, err := z.Create("readme"); err == nil {
		fmt.Fprintln(w, "an archive beside the series")
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.Close()
}
