//go:build !linux

package namespaces

import (
	"errors"
	"os"
)

// There is no node but on Linux; Missing says so before any of these is called.

func first() (int, error) { return 1, errors.ErrUnsupported }

func start(string, *os.File) (int, error) { return 1, errors.ErrUnsupported }

func createCgroups(string) error { return errors.ErrUnsupported }

func removeCgroups(string) error { return nil }

func createDir() (dir string, unlock func(), err error) { return "", nil, errors.ErrUnsupported }

func removeLeftovers() error { return errors.ErrUnsupported }
