package nrrd

import "quell/io/raster"

// types are the names of the types of voxels, with the codes of package raster.
var types = map[string]int64{
	"signed char": raster.Int8, "int8": raster.Int8, "int8_t": raster.Int8,
	"uchar": raster.Uint8, "unsigned char": raster.Uint8, "uint8": raster.Uint8, "uint8_t": raster.Uint8,
	"short": raster.Int16, "short int": raster.Int16, "signed short": raster.Int16, "signed short int": raster.Int16, "int16": raster.Int16, "int16_t": raster.Int16,
	"ushort": raster.Uint16, "unsigned short": raster.Uint16, "unsigned short int": raster.Uint16, "uint16": raster.Uint16, "uint16_t": raster.Uint16,
	"int": raster.Int32, "signed int": raster.Int32, "int32": raster.Int32, "int32_t": raster.Int32,
	"uint": raster.Uint32, "unsigned int": raster.Uint32, "uint32": raster.Uint32, "uint32_t": raster.Uint32,
	"longlong": raster.Int64, "long long": raster.Int64, "long long int": raster.Int64, "signed long long": raster.Int64, "signed long long int": raster.Int64, "int64": raster.Int64, "int64_t": raster.Int64,
	"ulonglong": raster.Uint64, "unsigned long long": raster.Uint64, "unsigned long long int": raster.Uint64, "uint64": raster.Uint64, "uint64_t": raster.Uint64,
	"float": raster.Float32, "double": raster.Float64,
}
