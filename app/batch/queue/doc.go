// Package queue hands the units of a batch to other processes: Children of this machine by pipes, workers on other
// machines by NATS JetStream. The truth about finished work is in the results next to the output (see
// batch.SeriesResult); the queue holds the rest. A message is a few hundred bytes, and voxels go by
// path: workers share the file system with the process that lists the units.
//
// In NATS a batch is a stream with a subject for each unit, which holds one message at most, so that a
// unit is queued once however often the list is published. A worker renews its hold on a message
// while it works, and acknowledges when every series of the unit has a result. The message of a
// worker that dies comes again after Timing.Wait; the results that it left are reused.
package queue
