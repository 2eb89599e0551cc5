package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The Dockerfile has the files from what this program writes, and has to say the same about them.
func TestTheDockerfileMakesTheSameImage(t *testing.T) {
	var says v1.Config
	var from, copied []string
	for line := range strings.Lines(string(read(t, "../../Dockerfile"))) {
		instruction, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch instruction {
		case "", "#":
		case "FROM": // a new stage; the last one counts
			says, copied = v1.Config{}, nil
			from = strings.Fields(rest)
		case "COPY":
			copied = append(copied, rest)
		case "ENV":
			says.Env = append(says.Env, rest)
		case "USER":
			says.User = rest
		case "WORKDIR":
			says.WorkingDir = rest
		case "ENTRYPOINT":
			require.NoError(t, json.Unmarshal([]byte(rest), &says.Entrypoint))
		case "RUN":
			assert.Equal(t, "make operator-image", rest)
		default:
			assert.Fail(t, "the program that writes the image has nothing like it", instruction)
		}
	}
	assert.Equal(t, []string{"scratch"}, from)
	assert.Equal(t, config(), says)
	assert.Equal(t, []string{"--from=build /src/bin/operator-root/ /"}, copied)

	makefile, err := os.ReadFile(filepath.Join("..", "..", "operator.mk"))
	require.NoError(t, err)
	assert.Contains(t, string(makefile), "-root $(BIN)/operator-root")
	programs := "IMAGE_PROGRAMS := " + strings.ReplaceAll(strings.Join(programPaths, " "), "/", "")
	assert.Contains(t, string(makefile), programs+"\n")
}

// An image with a program is made from the operator's, and has to be run in the same way.
func TestTheDockerfileOfAProgramInTypeScript(t *testing.T) {
	folder := filepath.Join("..", "..", "languages", "nodejs")
	dockerfile := string(read(t, filepath.Join(folder, "Dockerfile")))
	last := dockerfile[strings.LastIndex(dockerfile, "\nFROM "):]
	for _, line := range []string{
		"COPY --from=operator / /", "COPY --from=host /pulumi/bin/pulumi-language-nodejs /", "COPY --from=program /program /program",
		"USER " + config().User, "WORKDIR " + config().WorkingDir, `ENTRYPOINT ["` + strings.Join(config().Entrypoint, `", "`) + `"]`,
	} {
		assert.Contains(t, last, "\n"+line+"\n")
	}
	assert.Contains(t, last, "\nENV PATH=/:")

	cli := regexp.MustCompile(`github\.com/pulumi/pulumi/pkg/v3 v(\S+)`).FindSubmatch(read(t, filepath.Join("..", "..", "..", "..", "tests", "pulumi", "go.mod")))
	require.NotNil(t, cli)
	assert.Contains(t, dockerfile, "FROM pulumi/pulumi-nodejs:"+string(cli[1])+" AS host\n", "the host of the version of the CLI")
	for _, from := range regexp.MustCompile(`"resolved": "(.*)"`).FindAllSubmatch(read(t, filepath.Join(folder, "package-lock.json")), -1) {
		assert.Regexp(t, `^https://registry\.npmjs\.org/`, string(from[1]), "everybody can install it")
	}
}
