// Package demo tests the demos beside it: that every step holds, and that nothing is left, however they end.
package demo
