// Package network has the commands that exchange series with a PACS.
package network
