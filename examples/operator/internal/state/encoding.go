package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// The keys of the head's data.
const (
	keyRevision   = "revision"
	keyRecord     = "record"
	keyOutputs    = "outputs"
	keyProject    = "project"
	keyMovedFrom  = "movedFrom"
	keyCheckpoint = "checkpoint"
	keyChunks     = "chunks"
)

// encode is the data of a head's Secret. The checkpoint is in it unless it is in chunks.
func encode(head *Head, chunks []chunk) (map[string][]byte, error) {
	record, err := json.Marshal(head.Record)
	if err != nil {
		return nil, fmt.Errorf("state: %s: %w", keyRecord, err)
	}
	data := map[string][]byte{
		keyRevision: strconv.AppendInt(nil, head.Revision, 10),
		keyRecord:   record,
	}
	if head.Project != "" {
		data[keyProject] = []byte(head.Project)
	}
	if head.MovedFrom != "" {
		data[keyMovedFrom] = []byte(head.MovedFrom)
	}
	if len(head.Outputs) > 0 {
		if data[keyOutputs], err = json.Marshal(head.Outputs); err != nil {
			return nil, fmt.Errorf("state: %s: %w", keyOutputs, err)
		}
	}
	if len(chunks) > 0 {
		if data[keyChunks], err = json.Marshal(chunks); err != nil {
			return nil, fmt.Errorf("state: %s: %w", keyChunks, err)
		}
	} else if len(head.checkpoint) > 0 {
		data[keyCheckpoint] = head.checkpoint
	}
	return data, nil
}

// decode reads what encode wrote. Numbers of outputs stay as they are written.
func decode(data map[string][]byte) (*Head, error) {
	head := &Head{Project: string(data[keyProject]), MovedFrom: string(data[keyMovedFrom])}
	var err error
	if head.Revision, err = strconv.ParseInt(string(data[keyRevision]), 10, 64); err != nil || head.Revision < 0 {
		return nil, fmt.Errorf("%s: %q is no number of a revision", keyRevision, data[keyRevision])
	}
	if err := decodeJSON(data, keyRecord, &head.Record); err != nil {
		return nil, err
	}
	if _, found := data[keyOutputs]; found {
		if err := decodeJSON(data, keyOutputs, &head.Outputs); err != nil {
			return nil, err
		}
	}
	content, inline := data[keyCheckpoint]
	if _, found := data[keyChunks]; found {
		if inline {
			return nil, fmt.Errorf("it has both %s and %s", keyCheckpoint, keyChunks)
		}
		if err := decodeJSON(data, keyChunks, &head.chunks); err != nil {
			return nil, err
		}
		for _, part := range head.chunks {
			if part.Name == "" || part.SHA256 == "" {
				return nil, fmt.Errorf("%s: a chunk without name or hash", keyChunks)
			}
		}
	} else if len(content) > 0 {
		head.checkpoint = content
	}
	return head, nil
}

func decodeJSON(data map[string][]byte, key string, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data[key]))
	decoder.UseNumber()
	err := decoder.Decode(into)
	if err == nil && decoder.More() {
		err = errors.New("something follows the value")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}
