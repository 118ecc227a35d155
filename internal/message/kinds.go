package message

// Kind is the code of a message, which scripts may rely on: a word for what the message is about and one
// for what is the matter. New kinds may be added; none changes its meaning.
type Kind string

// Files and series that are read.
const (
	InputMissing     Kind = "input.missing"     // there is no such file, or one that belongs to it is not there
	InputUnreadable  Kind = "input.unreadable"  // the system does not let it be opened or read
	InputForeign     Kind = "input.foreign"     // it is of another format, or holds no image
	InputUnsupported Kind = "input.unsupported" // it is in order, and not of a form that is read
	InputDamaged     Kind = "input.damaged"     // it contradicts itself
	InputTruncated   Kind = "input.truncated"   // it ends too early
	InputTooLarge    Kind = "input.too-large"   // it holds more than is read
	InputChanged     Kind = "input.changed"     // it is not what it was when it was opened
	InputEmpty       Kind = "input.empty"       // it holds no voxel with data, no slice or no file
	InputChoice      Kind = "input.choice"      // there is no such volume, slice or component in it
	InputRefused     Kind = "input.refused"     // another reason, which the text gives
	SlicesUneven     Kind = "slices.uneven"     // the slices are not evenly spaced
	GridDiffers      Kind = "grid.differs"      // a map, a mask or a reference is of other voxels
)

// Files that are written.
const (
	OutputUnwritable  Kind = "output.unwritable"  // the system does not let it be written
	OutputFull        Kind = "output.full"        // the disk or the quota is full
	OutputBusy        Kind = "output.busy"        // another process writes there, or took it over
	OutputRefused     Kind = "output.refused"     // existing files are not replaced
	OutputName        Kind = "output.name"        // the name does not fit the output
	OutputUnsupported Kind = "output.unsupported" // the format cannot hold it
	OutputDiffers     Kind = "output.differs"     // what was read back is not what was written
	OutputRounded     Kind = "output.rounded"     // values were clipped, scaled or rounded
	OutputReduced     Kind = "output.reduced"     // something of the input is not in it
	OutputIdentity    Kind = "output.identity"    // it may show who the patient is, or not say it
	NotSaved          Kind = "settings.not-saved" // settings or the state of the program are not kept
)

// Requests, recipes and their parameters.
const (
	UsageRefused      Kind = "usage.refused"      // a request that is wrong whatever the input holds
	RecipeFilter      Kind = "recipe.filter"      // there is no such filter, or not in this form
	RecipeParameter   Kind = "recipe.parameter"   // the filter has no such parameter
	RecipeValue       Kind = "recipe.value"       // a value is none of the parameter
	RecipeInput       Kind = "recipe.input"       // a noise map, guide or mask is missing or not used
	RecipeIneffective Kind = "recipe.ineffective" // a parameter has no effect
	RecipeUnreadable  Kind = "recipe.unreadable"  // the text or the file is no recipe of this program
)

// The noise of a series, and what limits its estimate.
const (
	NoiseUnknown    Kind = "noise.unknown"    // it cannot be estimated
	NoiseWeak       Kind = "noise.weak"       // it is too weak to be distinguished from texture, or to be removed without harm
	NoiseStrong     Kind = "noise.strong"     // it is too strong for its use
	NoiseTexture    Kind = "noise.texture"    // texture, anatomy or structure may be part of the figure
	NoiseCorrelated Kind = "noise.correlated" // neighbouring voxels or slices share it
	NoiseVaries     Kind = "noise.varies"     // it differs from place to place or from slice to slice
	NoiseFew        Kind = "noise.few"        // the estimate rests on few voxels
	NoiseMeasured   Kind = "noise.measured"   // it was measured in a region that was given
	NoiseDisagrees  Kind = "noise.disagrees"  // it is not that of the noise map
)

// The verdict on a result, and the search for a strength.
const (
	VerdictNoise     Kind = "verdict.noise"     // noise is left
	VerdictStructure Kind = "verdict.structure" // structure is lost
	VerdictRecipe    Kind = "verdict.recipe"    // the recipe does not make the result
	VerdictNothing   Kind = "verdict.nothing"   // nothing was removed, or there is nothing to remove
	VerdictMismatch  Kind = "verdict.mismatch"  // the result is moved, turned, clipped or in other units
	VerdictNone      Kind = "verdict.none"      // there are not enough data to judge
	VisibilityKept   Kind = "visibility.kept"   // what was visible before keeps its contrast
	VisibilityLost   Kind = "visibility.lost"   // an object that was visible before loses contrast, or may
	TuneStrength     Kind = "tune.strength"     // there is no strength to be tuned
	TuneGain         Kind = "tune.gain"         // no strength lowers the error enough
	TuneEnd          Kind = "tune.end"          // the best strength is the weakest or the strongest that was tried
)

// Measures in regions and along lines.
const (
	MeasureFew     Kind = "measure.few"     // there are too few voxels
	MeasureMany    Kind = "measure.many"    // there are too many
	MeasureShape   Kind = "measure.shape"   // the region has the wrong form or place
	MeasureEdge    Kind = "measure.edge"    // there is no single edge, or it cannot be measured
	MeasureUneven  Kind = "measure.uneven"  // the region is not homogeneous
	MeasureNoise   Kind = "measure.noise"   // the noise hides the figure
	MeasurePadding Kind = "measure.padding" // padding lies in the region
)

// Engines and the memory that they need.
const (
	EngineAbsent      Kind = "engine.absent"      // the machine has no such engine
	EngineUnsupported Kind = "engine.unsupported" // the engine cannot run the recipe
	EngineVersion     Kind = "engine.version"     // its parts are of several versions
	EngineDriver      Kind = "engine.driver"      // the driver does not work
	EngineLost        Kind = "engine.lost"        // it stopped, hung or failed at a run
	EngineMemory      Kind = "engine.memory"      // it has too little memory
	EngineFallback    Kind = "engine.fallback"    // another engine took over
	InternalFault     Kind = "internal.fault"     // a fault of this program
	MemoryShort       Kind = "memory.short"       // the main memory is too small
)

// DICOM nodes.
const (
	NetworkAddress     Kind = "network.address"     // the node has no such name
	NetworkUnreachable Kind = "network.unreachable" // the node does not answer
	NetworkTrust       Kind = "network.trust"       // TLS or a certificate
	NetworkRejected    Kind = "network.rejected"    // the node refuses the association
	NetworkProtocol    Kind = "network.protocol"    // the node does not keep to the protocol
	NetworkRefused     Kind = "network.refused"     // the node does not store a file
)
