// Package metaimage reads and writes MetaImage: .mha files, and .mhd headers with their voxels in another
// file (.raw, .zraw). What it reads is what ITK and 3D Slicer write: voxels that are single numbers, stored
// raw or compressed by zlib, on 2 or 3 axes in space, and volumes behind each other along a fourth.
// Positions are as in ITK: TransformMatrix, Offset and ElementSpacing, in LPS+.
//
// The format is defined at https://itk.org/Wiki/ITK/MetaIO/Documentation.
package metaimage
