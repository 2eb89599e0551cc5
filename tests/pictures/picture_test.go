package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestColorsAreReadFromEscapeSequences(t *testing.T) {
	for _, c := range []struct {
		name, output string
		want         []span
	}{
		{"plain text has none", "a b", []span{{"a b", look{}}}},
		{"one of the first eight", "\x1b[31mred\x1b[0m plain", []span{{"red", look{color: 2}}, {" plain", look{}}}},
		{"one of 256, as the CLI writes them", "\x1b[38;5;3m=>\x1b[0m", []span{{"=>", look{color: 4}}}},
		{"a bright one looks like its dark one", "\x1b[38;5;11mw\x1b[91me", []span{{"w", look{color: 4}}, {"e", look{color: 2}}}},
		{"bold and a color in one sequence", "\x1b[1;32mup\x1b[22mup\x1b[39mup", []span{{"up", look{bold: true, color: 3}}, {"up", look{color: 3}}, {"up", look{}}}},
		{"an empty code resets", "\x1b[1mB\x1b[m.", []span{{"B", look{bold: true}}, {".", look{}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, [][]span{c.want}, parse(c.output+"\r\n"))
		})
	}
}

func TestALookLastsOverTheEndOfALine(t *testing.T) {
	assert.Equal(t, [][]span{{{"a", look{bold: true}}}, nil, {{"b", look{bold: true}}}}, parse("\x1b[1ma\n\nb"))
}

func TestLongLinesAreBrokenAtSpacesAndKeepTheirIndentation(t *testing.T) {
	red := look{color: 2}
	got := wrap([][]span{{{"  one ", look{}}, {"two three", red}}}, 10)
	assert.Equal(t, [][]span{{{"  one ", look{}}, {"two", red}}, {{"  ", look{}}, {"three", red}}}, got)
	assert.Equal(t, [][]span{{{"0123456789", look{}}}, {{"", look{}}, {"abc", look{}}}}, wrap([][]span{{{"0123456789abc", look{}}}}, 10))
}

func TestAPictureIsWellFormedAndHasTheText(t *testing.T) {
	var b strings.Builder
	require.NoError(t, draw(&b, "a < b", parse("\x1b[31m<&>\x1b[0m \"info\"\n")))
	decoder := xml.NewDecoder(strings.NewReader(b.String()))
	var text strings.Builder
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if data, is := token.(xml.CharData); is {
			text.Write(data)
		}
	}
	assert.Contains(t, b.String(), `width="917" height="55" viewBox="0 0 917 55"`)
	assert.Contains(t, text.String(), "a < b")
	assert.Contains(t, text.String(), `<&> "info"`)
}
