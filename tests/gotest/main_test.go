package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module has a package for everything that can become of one.
var module = map[string]string{
	"go.mod": "module example.com/tried\n\ngo 1.26\n",
	"passes/tests_test.go": `package passes

import ("fmt"; "testing")

func TestPasses(t *testing.T) { fmt.Println("noise"); t.Log("more noise") }
func TestSkips(t *testing.T)  { t.Log("first"); t.Skip("the reason\nin two lines") }
func TestParts(t *testing.T) {
	t.Run("one of two", func(t *testing.T) { t.Parallel(); t.Skipf("%s: not here", "tool") })
	t.Run("the other", func(t *testing.T) { t.Parallel() })
}
func TestSaysNothing(t *testing.T) { t.SkipNow() }
func FuzzAnything(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, n int) { t.Skip("not this one") })
}
`,
	"fails/tests_test.go": `package fails

import ("fmt"; "os"; "testing")

func TestMain(m *testing.M) { code := m.Run(); fmt.Println("tidied up"); os.Exit(code) }
func TestPasses(t *testing.T) { t.Log("noise") }
func TestFails(t *testing.T) {
	t.Run("well", func(t *testing.T) { t.Log("noise") })
	t.Run("badly", func(t *testing.T) { t.Log("what was before"); t.Error("what went wrong\nand where") })
}
`,
	"panics/tests_test.go": `package panics

import "testing"

func TestPanics(t *testing.T) { t.Log("was about to"); panic("in the end") }
`,
	"exits/tests_test.go": `package exits

import ("os"; "testing")

func TestExits(t *testing.T) { t.Log("was about to"); os.Exit(3) }
`,
	"mistyped/tests_test.go": "package mistyped\n\nfunc nothing() { undefined() }\n",
	"untested/code.go":       "package untested\n",
}

func tried(t *testing.T, packages ...string) (string, int) {
	t.Helper()
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range module {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	var out strings.Builder
	code, err := run(&out, dir, append([]string{"-vet=off", "-count=1"}, packages...))
	require.NoError(t, err)
	return out.String(), code
}

func TestSkippedTestsAreNamedWithTheirReasons(t *testing.T) {
	out, code := tried(t, "./passes", "./untested")
	assert.Zero(t, code, out)
	assert.Regexp(t, `\Aok  \texample.com/tried/passes\t[\d.]+s\n`+
		`\nSkipped:\n`+
		`  example.com/tried/passes TestSkips: the reason in two lines\n`+
		`  example.com/tried/passes TestParts/one_of_two: tool: not here\n`+
		`  example.com/tried/passes TestSaysNothing: no reason given\n\z`, out)
}

func TestFailuresAreSaidInFullAndNothingElseIs(t *testing.T) {
	out, code := tried(t, "./fails")
	assert.Equal(t, 1, code)
	assert.Regexp(t, `\A--- FAIL: TestFails/badly \([\d.]+s\)\n`+
		`    tests_test.go:\d+: what was before\n`+
		`    tests_test.go:\d+: what went wrong\n`+
		`        and where\n`+
		`--- FAIL: TestFails \([\d.]+s\)\n`+
		`FAIL\ntidied up\nFAIL\texample.com/tried/fails\t[\d.]+s\n`+
		`\nNo test was skipped.\n\z`, out)
}

func TestAPanicIsSaidInFull(t *testing.T) {
	out, code := tried(t, "./panics")
	assert.Equal(t, 1, code)
	for _, said := range []string{"was about to", "panic: in the end", "goroutine ", "FAIL\texample.com/tried/panics"} {
		assert.Contains(t, out, said)
	}
}

func TestATestThatDoesNotComeToAnEndIsSaidInFull(t *testing.T) {
	out, code := tried(t, "./exits")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "was about to")
	assert.Contains(t, out, "FAIL\texample.com/tried/exits")
}

func TestWhatDoesNotCompileIsSaidInFull(t *testing.T) {
	out, code := tried(t, "./mistyped", "./passes")
	assert.Equal(t, 1, code)
	assert.Contains(t, out, "undefined: undefined")
	assert.Contains(t, out, "FAIL\texample.com/tried/mistyped [build failed]\n")
	assert.Contains(t, out, "ok  \texample.com/tried/passes")
}

func TestAnUnknownPackageIsAFailure(t *testing.T) {
	_, code := tried(t, "./nowhere")
	assert.Equal(t, 1, code)
}
