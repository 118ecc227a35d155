package structured

import (
	"quell/io/dicom/object"
	"quell/io/dicom/part10"
)

// library lists the images that the report is about (TID 1600): a group for each series, with what its images share.
func (r *Report) library(images []object.Images) []byte {
	var groups [][]byte
	for _, series := range images {
		in := [][]byte{code(acquired, modality, modalityCode(r.Header.Text(part10.TagModality))), uid(acquired, seriesUID, series.SeriesUID)}
		if reference := r.Header.Text(part10.TagFrameOfReferenceUID); reference != "" {
			in = append(in, uid(acquired, frameOfReference, reference))
		}
		known := map[string]bool{}
		for _, of := range series.Slices {
			if !known[of.UID] {
				known[of.UID] = true
				in = append(in, image(of))
			}
		}
		groups = append(groups, container(contains, imageLibraryGroup, "", in...).Item())
	}
	return container(contains, imageLibrary, "1600", groups...).Item()
}

// images returns the images of all volumes, with an entry for each series.
func (r *Report) images() (out []object.Images) {
	at := map[string]int{}
	add := func(i object.Images) {
		if len(i.Slices) == 0 || i.SeriesUID == "" {
			return
		}
		k, known := at[i.SeriesUID]
		if !known {
			k = len(out)
			at[i.SeriesUID] = k
			out = append(out, object.Images{SeriesUID: i.SeriesUID})
		}
		out[k].Slices = append(out[k].Slices, i.Slices...)
	}
	for _, v := range r.Volumes {
		add(v.Source)
		add(v.Result)
	}
	return out
}
