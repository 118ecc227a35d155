package object

import "quell/io/dicom/part10"

// UnitOf returns the code of a unit of voxels (UCUM): no unit for the arbitrary one of MR.
func UnitOf(unit string) part10.Code {
	switch unit {
	case "HU":
		return part10.Code{Value: "[hnsf'U]", Scheme: "UCUM", Meaning: "Hounsfield unit"}
	case "BQML":
		return part10.Code{Value: "Bq/ml", Scheme: "UCUM", Meaning: "Becquerels/milliliter"}
	case "GML":
		return part10.Code{Value: "g/ml", Scheme: "UCUM", Meaning: "Standardized Uptake Value body weight"}
	}
	return part10.Code{Value: "1", Scheme: "UCUM", Meaning: "no units"}
}
