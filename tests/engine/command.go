package engine

import (
	"strconv"
	"strings"
)

// switches are the flags of the CLI that take no value, and what they set.
var switches = map[string]func(*Options){
	"--yes": func(*Options) {}, "-y": func(*Options) {},
	"--skip-preview":           func(o *Options) { o.PreviewFirst = false },
	"--preview-only":           func(o *Options) { o.PreviewFirst, o.PreviewOnly = true, true },
	"--diff":                   func(o *Options) { o.Diff = true },
	"--json":                   func(o *Options) { o.JSON = true },
	"--debug":                  func(o *Options) { o.Debug = true },
	"--refresh":                func(o *Options) { o.Refresh = true },
	"--run-program":            func(o *Options) { o.RunProgram = true },
	"--continue-on-error":      func(o *Options) { o.ContinueOnError = true },
	"--expect-no-changes":      func(o *Options) { o.ExpectNoChanges = true },
	"--target-dependents":      func(o *Options) { o.TargetDependents = true },
	"--exclude-dependents":     func(o *Options) { o.ExcludeDependents = true },
	"--show-sames":             func(o *Options) { o.ShowSames = true },
	"--show-reads":             func(o *Options) { o.ShowReads = true },
	"--show-secrets":           func(o *Options) { o.ShowSecrets = true },
	"--show-replacement-steps": func(o *Options) { o.ShowReplacementSteps = true },
}

// values are the flags that take one, behind "=" or as the next argument.
var values = map[string]func(o *Options, value string) bool{
	"--target":  func(o *Options, value string) bool { o.Targets = append(o.Targets, value); return true },
	"--exclude": func(o *Options, value string) bool { o.Excludes = append(o.Excludes, value); return true },
	"--replace": func(o *Options, value string) bool { o.Replaces = append(o.Replaces, value); return true },
	"--target-replace": func(o *Options, value string) bool {
		o.Targets, o.Replaces = append(o.Targets, value), append(o.Replaces, value)
		return true
	},
	"--parallel": func(o *Options, value string) bool {
		n, err := strconv.ParseInt(value, 10, 32)
		o.Parallel = int32(n)
		return err == nil
	},
}

// ParseCommand reads the arguments of a command of the CLI. It is false if the command, or one of its flags, is none that an
// operation here has.
func ParseCommand(args ...string) (Kind, Options, bool) {
	if len(args) == 0 {
		return "", Options{}, false
	}
	kind := Kind(args[0])
	options := Options{PreviewFirst: true}
	switch kind {
	case Up, Refresh, Destroy:
	case Preview:
		options.PreviewFirst = false
	default:
		return "", Options{}, false
	}
	for rest := args[1:]; len(rest) > 0; rest = rest[1:] {
		flag, value, joined := strings.Cut(rest[0], "=")
		if set, ok := switches[flag]; ok && !joined {
			set(&options)
			continue
		}
		set, ok := values[flag]
		if !ok {
			return "", Options{}, false
		}
		if !joined {
			if rest = rest[1:]; len(rest) == 0 {
				return "", Options{}, false
			}
			value = rest[0]
		}
		if !set(&options, value) {
			return "", Options{}, false
		}
	}
	return kind, options, true
}
