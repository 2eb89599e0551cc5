package releases_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"
)

// The law of secrets. A value that is drawn, or a secret of the program, is in the objects whose templates ask for it, and
// nowhere else: in no other object, in no message, and nowhere in the backend in clear.

// needles are the texts by which a secret is found.
func needles(secret string) []string {
	text := secret
	if lines := strings.Split(secret, "\n"); len(lines) > 2 {
		text = lines[1] // of a certificate
	}
	return []string{text, base64.StdEncoding.EncodeToString([]byte(secret))}
}

// finds returns the secret that a text shows.
func (p *play) finds(text string, except func(secret string) bool) (secret string, found bool) {
	all := map[string]string{secretValue: "the password of the values"}
	maps.Copy(all, p.secrets)
	for value, of := range all {
		if except != nil && except(value) {
			continue
		}
		for _, needle := range needles(value) {
			if strings.Contains(text, needle) {
				return of, true
			}
		}
	}
	return "", false
}

func (p *play) judgeOutput(o outcome) {
	if of, found := p.finds(o.Output, nil); found {
		p.breaks("secrets", []string{"output"}, "the output of %s shows %s", o.kind, of)
	}
}

func (p *play) judgeSecrets(live [2]objects) {
	for i := range live {
		for id, object := range live[i] {
			text, err := json.Marshal(object.Object)
			require.NoError(p, err)
			d, known := p.documentNamed(id)
			of, found := p.finds(string(text), func(secret string) bool {
				if secret != secretValue {
					return known && p.draws.owners[secret].document == d.number
				}
				for _, f := range d.fields {
					if f.password {
						return true
					}
				}
				return false
			})
			if found {
				p.breaks("secrets", []string{"object"}, "%s shows %s", id, of)
			}
		}
	}
	require.NoError(p, filepath.WalkDir(p.Backend, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if of, found := p.finds(string(text), nil); found {
			p.breaks("secrets", []string{"state"}, "the backend shows %s in %s", of, fmt.Sprint(filepath.Base(filepath.Dir(path)), "/", filepath.Base(path)))
			return fs.SkipAll
		}
		return err
	}))
}
