package main

import (
	"encoding/binary"
	"encoding/json"
	"net/http"

	"tailscale.com/tailcfg"
	"tailscale.com/util/zstdframe"
)

// mapWriter edits what the server tells a node. A message is its length, in 4 bytes, and JSON, which may be compressed; in an answer
// other than 200 there is none.
type mapWriter struct {
	http.ResponseWriter
	compressed bool
	edit       func(*tailcfg.MapResponse)
	failed     bool
	held       []byte
}

func (m *mapWriter) WriteHeader(status int) {
	m.failed = status != http.StatusOK
	m.ResponseWriter.WriteHeader(status)
}

func (m *mapWriter) Write(part []byte) (int, error) {
	if m.failed {
		return m.ResponseWriter.Write(part)
	}
	m.held = append(m.held, part...)
	for len(m.held) >= 4 {
		end := 4 + int(binary.LittleEndian.Uint32(m.held))
		if len(m.held) < end {
			break
		}
		text, err := m.edited(m.held[4:end])
		if err != nil {
			return 0, err
		}
		m.held = m.held[end:]
		if err := sendMessage(m.ResponseWriter, m.compressed, text); err != nil {
			return 0, err
		}
	}
	return len(part), nil
}

func (m *mapWriter) Flush() { m.ResponseWriter.(http.Flusher).Flush() }

func (m *mapWriter) edited(text []byte) (*tailcfg.MapResponse, error) {
	if m.compressed {
		var err error
		if text, err = zstdframe.AppendDecode(nil, text); err != nil {
			return nil, err
		}
	}
	told := &tailcfg.MapResponse{}
	if err := json.Unmarshal(text, told); err != nil {
		return nil, err
	}
	m.edit(told)
	return told, nil
}

// sendMessage writes one message for a node.
func sendMessage(w http.ResponseWriter, compressed bool, told *tailcfg.MapResponse) error {
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	if compressed {
		text = zstdframe.AppendEncode(nil, text, zstdframe.FastestCompression)
	}
	_, err = w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...))
	return err
}
