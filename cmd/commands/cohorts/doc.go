// Package cohorts has the commands that filter many series, by themselves or for a host program.
package cohorts
