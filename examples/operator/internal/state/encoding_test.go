package state

import (
	"bytes"
	"maps"
	"testing"
)

// FuzzDecode checks that whatever is in the Secret, it is refused or understood: what was understood is written as
// something that is understood in the same way.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("0"), []byte(`{"serial":0}`), []byte(nil), []byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte("7"), []byte(`{"serial":3,"outcome":"Succeeded"}`), []byte(`{"a":{"value":1.50,"secret":true}}`), []byte("shop"), []byte("content"), []byte(nil))
	f.Add([]byte("7"), []byte(`{"serial":3,"startedAt":"2026-01-02T03:04:05Z"}`), []byte(nil), []byte("shop"), []byte(nil), []byte(`[{"name":"a","sha256":"b"}]`))
	f.Fuzz(func(t *testing.T, revision, record, outputs, project, checkpoint, chunks []byte) {
		data := map[string][]byte{}
		for key, value := range map[string][]byte{
			keyRevision: revision, keyRecord: record, keyOutputs: outputs, keyProject: project, keyCheckpoint: checkpoint, keyChunks: chunks,
		} {
			if value != nil {
				data[key] = value
			}
		}
		head, err := decode(data)
		if err != nil {
			return
		}
		once, err := encode(head, head.chunks)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(once)
		if err != nil {
			t.Fatalf("%v: %q", err, once)
		}
		twice, err := encode(again, again.chunks)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.EqualFunc(once, twice, bytes.Equal) {
			t.Fatalf("%q\n%q", once, twice)
		}
	})
}
