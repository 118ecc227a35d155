package assemble

// Orientation is tested by itself.
var Orientation = orientation
