// Package serve is a node of the DICOM network that filters series that are sent to it: a scanner or an archive sends a
// series, the node filters it by the recipe of each rule that takes it, and sends the results, new series, to the
// destinations of the rules.
//
//	settings.go  the file that describes a node
//	node.go      its folder and the tasks that wait in it
//	lanes.go     what runs apart: the journal, the filter and each destination
//	receive.go   instances that arrive, and series that are complete
//	task.go      one series: its work, in a file of the journal
//	work.go      rules, filter, attempts, the end of a task
//	send.go      results on their way to archives, and storage commitment
//	room.go      bytes that are kept for the journal, and what happens when there are none
//	tidy.go      what is removed when
//	audit.go     who did what, without identities
//	status.go    a page on loopback, and what the folder shows without it
//	metrics.go   figures for Prometheus on that page
//	retry.go     tasks that are taken up again
//
// A node has a folder of mode 0700 for itself:
//
//	in/N.dcm     instances as they were received, N a counter
//	tasks/N.json one file a series: the journal
//	tasks/N/     its input, links to files of in, and its output
//	retry/N      a task that is to be taken up again
//	damaged/     files of tasks that could not be read
//	reserve      bytes of the disk for the journal
//	audit.log    one line of JSON an event; audit.N.log before it
//	key          of the hashes in it
//
// A crash at any point loses and doubles nothing. An instance is confirmed when its file is whole; instances
// that no task names are found again in the folder. A task is a file that is replaced as a whole, and each of
// its states is left only when the next one is reached. Filtering begins anew, and what was sent but not noted
// is sent again: its UIDs follow from source and recipe, so that the other side has each instance once. A request of
// storage commitment is in the journal before it is sent; after a crash it is asked for again.
//
// A task stays in the journal for a time after its images were removed, with their hashes: what is sent again then
// is known. A series on which the process ended ten times has failed.
//
// One goroutine for each association receives, and one for each lane works, a thing at a time. Who changes tasks holds
// the journal, but not while it waits for a filter or another node. Errors of a task are kept in it. Errors of the
// journal let the node pause, and what could not be written is written later.
package serve
