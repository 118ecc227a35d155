// Package judging has the commands that estimate noise, and measure or judge what a filter did.
package judging
