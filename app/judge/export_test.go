package judge

// Mismatched is what tests see of a mismatch.
var Mismatched = mismatched
