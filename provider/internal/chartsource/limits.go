package chartsource

import "time"

// limits bound what a server, an archive or a folder can cost.
type limits struct {
	connect  time.Duration // to connect, and for each handshake
	answer   time.Duration // from a request to the head of its answer
	idle     time.Duration // without a byte of a body
	total    time.Duration // for a chart
	index    int64         // bytes of an index
	section  int64         // bytes of an index that are parsed
	archive  int64         // bytes of an archive as it is transferred
	manifest int64         // bytes of a manifest in a registry
	tags     int           // tags of a repository in a registry
	unpacked int64         // bytes of all files
	files    int           // number of files
}

const mebibyte = 1 << 20

// defaults has helm's limits for unpacked files. Large public indexes have 20 MiB, and 3 MiB for one chart.
var defaults = limits{
	connect:  10 * time.Second,
	answer:   30 * time.Second,
	idle:     30 * time.Second,
	total:    5 * time.Minute,
	index:    64 * mebibyte,
	section:  16 * mebibyte,
	archive:  64 * mebibyte,
	manifest: 4 * mebibyte,
	tags:     50_000,
	unpacked: 100 * mebibyte,
	files:    20_000,
}

// orDefault returns the limits, or the defaults if none are set.
func (l limits) orDefault() limits {
	if l == (limits{}) {
		return defaults
	}
	return l
}
