// Package hosts does the work of a module for programs that run others on images: mercure, MONAI Deploy and whatever
// gives a folder with images and one for the results. The contracts differ in how they name the two folders and pass
// settings; the work and the files left behind are the same.
//
// A module takes IN, which is never written to, and OUT, which is empty. Series go to OUT as files, without a folder of
// their own, as a router looks for them there, and result.json is written last. After a failure OUT holds result.json
// alone, which says why.
package hosts
