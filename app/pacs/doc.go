// Package pacs exchanges series with archives: it searches, retrieves, sends and asks whether an archive
// answers, whatever protocol it speaks.
//
//	place.go      an archive and how it is reached; the table of protocols
//	secret.go     sign-ins: a file or a variable of the environment is named, never its content
//	places.go     the places that are kept for this account
//	reference.go  pacs:NODE/SERIES-UID and its kin, in the place of paths
//	archive.go    archives, and their protocols
//	ask.go        the search of a person, as conditions
//	spool.go      folders for retrieved images
//	search.go     searches, and their results as rows
//	fetch.go      retrieval into a folder, counted and verified
//	plan.go       the instances that a folder would send
//	report.go     what became of it
//	send.go       sending, verified by a search
//	web.go        DICOMweb
//	network.go    the DICOM network: associations, C-STORE
//	lanes.go      several associations that store at once
//	networkquery.go  its searches, C-GET, and the search for what was stored
//
// What an archive sends is not trusted. Files are named by a counter, never by what an archive says.
// The log gets counts alone: no name, no address, no UID. An Archive is used by one goroutine at a time.
package pacs
