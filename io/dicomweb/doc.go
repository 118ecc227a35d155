// Package dicomweb is a client of DICOMweb (PS3.18): it searches an archive (QIDO-RS), retrieves
// instances from it (WADO-RS) and stores instances there (STOW-RS).
//
//	client.go         configuration, addresses
//	exchange.go       one request: retries, redirects, times
//	retry.go          repetitions, and their delays
//	authorization.go  Basic, bearer tokens, client credentials (RFC 6749 section 4.4)
//	search.go         QIDO-RS in pages
//	json.go, dataset.go  the DICOM JSON model (PS3.18 annex F) as sets of io/attributes
//	retrieve.go       WADO-RS as a stream of parts
//	store.go          STOW-RS, what the server says, the search that verifies it
//	envelope.go       the body of STOW-RS, read from files as it is sent
//	errors.go         failures, each in one sentence
//
// Sizes are in bytes. An error of the network or of the server is an *Error, which names the host
// and the HTTP status; it holds no search term, no value of an answer and no credential. A context
// that ends is returned as its own error.
//
// The answers of a server are not trusted: depth and size of JSON and of parts are limited before
// memory is taken, and declared lengths are not used. Addresses are built from the base address
// and from UIDs alone; no address of an answer (RetrieveURL, BulkDataURI) is followed.
// Authorization and client certificates go to the host of the base address alone: a redirect to
// another host is an error.
//
// GET is repeated after a failed connection and after 429, 502, 503 and 504, at most Config.Attempts
// times in all. It is not repeated after a silence, nor after a part was handed to the caller.
// A request that stores is repeated if the connection failed before an answer, and after 503. The
// wait is what Retry-After asks for, or half a second that doubles.
//
// Memory: one answer to a search is at most 32 MB of JSON with a million values, all of a search
// together eight times as much. Retrieving and storing hold some kilobytes of the instances,
// whatever their size.
//
// A Client and an Authorization are safe for concurrent use. The functions that a caller passes
// run on the goroutine of the call.
package dicomweb
