package chartsource

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/loader/archive"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/chartserver"
)

// member is an entry of an archive.
type member struct {
	name string
	kind byte
	data string
	link string
}

var chartYAML = member{name: "app/Chart.yaml", data: "name: app\nversion: 1.0.0\n"}

// pack makes an archive of anything.
func pack(t testing.TB, members ...member) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	writer := tar.NewWriter(zipped)
	for _, m := range members {
		kind := m.kind
		if kind == 0 {
			kind = tar.TypeReg
		}
		header := &tar.Header{Typeflag: kind, Name: m.name, Size: int64(len(m.data)), Linkname: m.link, Mode: 0o644}
		if kind == tar.TypeXGlobalHeader {
			header = &tar.Header{Typeflag: kind, Name: "pax_global_header", PAXRecords: map[string]string{"comment": "x"}}
		}
		require.NoError(t, writer.WriteHeader(header))
		_, err := io.WriteString(writer, m.data)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	require.NoError(t, zipped.Close())
	return packed.Bytes()
}

func TestHostileArchives(t *testing.T) {
	t.Parallel()
	small := defaults
	small.unpacked, small.files = 4000, 5
	var many []member
	for i := range 6 {
		many = append(many, member{name: fmt.Sprintf("app/%d", i)})
	}
	var folders []member
	for i := range 6 {
		folders = append(folders, member{name: fmt.Sprintf("app/%d/", i), kind: tar.TypeDir})
	}
	whole := pack(t, chartYAML, member{name: "app/values.yaml", data: strings.Repeat("a: 1\n", 100)})
	for name, c := range map[string]struct {
		data  []byte
		class Class
		part  string
	}{
		"a path to the parent [H16]":    {pack(t, chartYAML, member{name: "app/../../etc/passwd"}), Refused, "leads out of the chart"},
		"a parent at its beginning":     {pack(t, member{name: "../app/Chart.yaml"}), Refused, "leads out of the chart"},
		"a parent in its middle":        {pack(t, member{name: "app/a/../Chart.yaml"}), Refused, "leads out of the chart"},
		"an absolute path":              {pack(t, chartYAML, member{name: "/etc/passwd"}), Refused, "leads out of the chart"},
		"an absolute path below":        {pack(t, chartYAML, member{name: "app//etc/passwd"}), Refused, "leads out of the chart"},
		"a drive of Windows":            {pack(t, chartYAML, member{name: `app\c:\windows`}), Refused, "leads out of the chart"},
		"a parent in Windows' style":    {pack(t, chartYAML, member{name: `app\..\..\x`}), Refused, "leads out of the chart"},
		"a symbolic link":               {pack(t, chartYAML, member{name: "app/x", kind: tar.TypeSymlink, link: "/etc/passwd"}), Refused, "link or a device"},
		"a hard link":                   {pack(t, chartYAML, member{name: "app/x", kind: tar.TypeLink, link: "/etc/passwd"}), Refused, "link or a device"},
		"a device":                      {pack(t, chartYAML, member{name: "app/x", kind: tar.TypeChar}), Refused, "link or a device"},
		"a pipe":                        {pack(t, chartYAML, member{name: "app/x", kind: tar.TypeFifo}), Refused, "link or a device"},
		"a file that is too big":        {pack(t, chartYAML, member{name: "app/x", data: strings.Repeat("x", 4001)}), Refused, "together"},
		"files that are too big":        {pack(t, chartYAML, member{name: "app/x", data: strings.Repeat("x", 2500)}, member{name: "app/y", data: strings.Repeat("x", 2500)}), Refused, "together"},
		"too many files":                {pack(t, many...), Refused, "more than 5 files"},
		"too many folders":              {pack(t, folders...), Refused, "more than 5 files"},
		"a file in no folder":           {pack(t, member{name: "Chart.yaml"}), Malformed, "not in a folder"},
		"nothing":                       {pack(t), Malformed, "empty"},
		"no archive":                    {[]byte("apiVersion: v2\n"), Malformed, "not compressed"},
		"an end in the middle":          {whole[:len(whole)-20], Malformed, "damaged"},
		"compressed text":               {zip(t, "x"), Malformed, "damaged"},
		"a bomb of zeros in a tar":      {zip(t, strings.Repeat("\x00", 1<<20)), Malformed, "empty"},
		"headers without an end":        {bomb(t, 1<<20), Refused, "unsafe"},
		"a header with a negative size": {zip(t, header(t, func(h []byte) { copy(h[124:136], "-0000000001\x00") })), Malformed, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := small.unpack(c.data)
			var made *Error
			require.ErrorAs(t, err, &made)
			assert.Equal(t, c.class, made.Class, err.Error())
			assert.Contains(t, err.Error(), c.part)
		})
	}
	t.Run("do not cost more memory than their limit [H16]", func(t *testing.T) {
		var before, after runtime.MemStats
		data := pack(t, chartYAML, member{name: "app/x", data: strings.Repeat("x", 200<<20)})
		runtime.ReadMemStats(&before)
		_, err := defaults.unpack(data)
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(10<<20))
	})
}

func zip(t testing.TB, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	_, err := io.WriteString(zipped, text)
	require.NoError(t, err)
	require.NoError(t, zipped.Close())
	return packed.Bytes()
}

// header is the head of a tar entry, changed, with a wrong checksum unless it is not changed.
func header(t testing.TB, change func([]byte)) string {
	t.Helper()
	var packed bytes.Buffer
	require.NoError(t, tar.NewWriter(&packed).WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "app/x"}))
	head := packed.Bytes()
	change(head)
	return string(head)
}

// bomb is an archive of entries that are no files: global headers, which no limit of files counts by their size.
func bomb(t testing.TB, size int) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := tar.NewWriter(&packed)
	for packed.Len() < size {
		require.NoError(t, writer.WriteHeader(&tar.Header{
			Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": strings.Repeat("x", 900_000)},
		}))
	}
	return zip(t, packed.String())
}

func TestWhatAnArchiveMayHave(t *testing.T) {
	t.Parallel()
	for name, members := range map[string][]member{
		"folders, which are left out":          {chartYAML, {name: "app/templates/", kind: tar.TypeDir}, {name: "app/templates/a.yaml", data: "a"}},
		"a mark of the byte order":             {chartYAML, {name: "app/values.yaml", data: "\xEF\xBB\xBFa: 1"}},
		"names in the style of Windows":        {{name: `app\Chart.yaml`, data: "x"}, {name: `app\templates\a.yaml`, data: "a"}},
		"charts in it, packed and not":         {chartYAML, {name: "app/charts/sub-1.0.0.tgz", data: "x"}, {name: "app/charts/sub/Chart.yaml", data: "y"}},
		"a comment of git":                     {{kind: tar.TypeXGlobalHeader}, chartYAML},
		"long names, and others than ASCII":    {chartYAML, {name: "app/" + strings.Repeat("lång/", 60) + "x.yaml", data: "x"}},
		"a name that begins with a dot, twice": {chartYAML, {name: "app/.helmignore"}, {name: "app/.helmignore"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := pack(t, members...)
			want, err := archive.LoadArchiveFiles(bytes.NewReader(data))
			require.NoError(t, err)
			got, err := defaults.unpack(data)
			require.NoError(t, err)
			sameAsHelm(t, want, got)
		})
	}
}

func sameAsHelm(t testing.TB, want []*archive.BufferedFile, got []File) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, file := range want {
		assert.Equal(t, file.Name, got[i].Name)
		assert.Equal(t, string(file.Data), string(got[i].Data))
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(pack(f, chartYAML, member{name: "app/templates/a.yaml", data: "a: 1"}))
	f.Add(pack(f, chartYAML, member{name: "app/../x"}))
	f.Add(pack(f, member{name: `app\Chart.yaml`, data: "x"}))
	f.Add([]byte("\x1f\x8b\x08"))
	small := defaults
	small.unpacked, small.files = 1<<16, 50
	f.Fuzz(func(t *testing.T, data []byte) {
		// Most of what the fuzzer makes is no gzip: it is packed for it.
		for _, packed := range [][]byte{data, zip(t, string(data))} {
			files, err := small.unpack(packed)
			if err != nil {
				continue
			}
			size := 0
			for _, file := range files {
				size += len(file.Data)
				if filepath.IsAbs(file.Name) || strings.HasPrefix(file.Name, "..") || strings.Contains(file.Name, "/../") {
					t.Errorf("%q leads out", file.Name)
				}
			}
			if len(files) > small.files || int64(size) > small.unpacked {
				t.Errorf("%d files of %d bytes", len(files), size)
			}
			want, err := archive.LoadArchiveFiles(bytes.NewReader(packed))
			if err != nil {
				t.Fatalf("helm refuses it: %v", err)
			}
			sameAsHelm(t, want, files)
		}
	})
}

func TestHostileServers(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
				return
			}
		}
	}
	stalling := func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("entries:\n"))
		w.(http.Flusher).Flush()
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}
	trickling := func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for r.Context().Err() == nil {
			<-tick.C
			if _, err := w.Write([]byte("#")); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}
	silent := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}
	manifest := func(answer http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
			w.Header().Set("Docker-Content-Digest", digestOf(nil))
			if r.Method == http.MethodHead {
				w.Header().Set("Content-Length", "100") // the library asks for it, where the answer has none
				return
			}
			answer(w, r)
		}
	}
	pages := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", `</v2/app/tags/list?last=x>; rel="next"`)
		_, _ = w.Write([]byte(`{"tags":[]}`))
	}
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		version string
		class   Class
		part    string
		only    string // a kind of source
	}{
		"with a body that has no end [H16]":   {answer: endless, class: Refused, part: "larger than"},
		"with a body that stops":              {answer: stalling, class: TimedOut, part: "no more data came"},
		"with a body that never gets on":      {answer: trickling, class: TimedOut, part: "the time for a chart is over"},
		"that do not answer":                  {answer: silent, class: TimedOut, part: "in time"},
		"with a manifest that has no end":     {answer: manifest(endless), version: "1.0.0", class: Refused, part: "larger than", only: "registry"},
		"with a manifest that stops":          {answer: manifest(stalling), version: "1.0.0", class: TimedOut, part: "no more data came", only: "registry"},
		"with tags that have no end":          {answer: pages, class: Refused, part: "more than 20 tags", only: "registry"},
		"with a list of tags that has no end": {answer: endless, class: Malformed, part: "not valid", only: "registry"},
		"that say they are larger than they may be": {answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "999999999")
			endless(w, r)
		}, class: Refused, part: "larger than"},
		"that break the connection": {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, class: Unreachable, part: "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.answer)
			t.Cleanup(server.Close)
			sources := map[string]Source{
				"repository": {Chart: "app", Repository: server.URL, Version: c.version},
				"address":    {Chart: server.URL + "/app.tgz"},
			}
			if c.only == "registry" {
				sources = map[string]Source{"registry": {Chart: "oci://" + strings.TrimPrefix(server.URL, "http://") + "/app", Version: c.version}}
			}
			for kind, source := range sources {
				t.Run(kind, func(t *testing.T) {
					t.Parallel()
					fetcher := newFetcher(t)
					fetcher.limits = defaults
					fetcher.limits.index, fetcher.limits.archive, fetcher.limits.manifest, fetcher.limits.tags = 1<<17, 1<<17, 1<<17, 20
					fetcher.limits.answer, fetcher.limits.idle, fetcher.limits.total = 300*time.Millisecond, 300*time.Millisecond, 900*time.Millisecond
					_, err := fetcher.Fetch(t.Context(), source)
					refused(t, err, c.class, c.part)
				})
			}
		})
	}
	t.Run("that cannot be connected to", func(t *testing.T) {
		t.Parallel()
		fetcher := newFetcher(t)
		_, err := fetcher.Fetch(t.Context(), Source{Chart: "app", Repository: "http://127.0.0.1:1"})
		refused(t, err, Unreachable, "connection refused")
		fetcher.dial = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "charts.example.com", IsNotFound: true}}
		}
		_, err = another(fetcher).Fetch(t.Context(), Source{Chart: "app", Repository: "http://127.0.0.1:1"})
		refused(t, err, Unreachable)
		fresh := newFetcher(t)
		fresh.dial = fetcher.dial
		_, err = fresh.Fetch(t.Context(), Source{Chart: "app", Repository: "http://charts.example.com"})
		refused(t, err, Unreachable, "host name cannot be resolved", "no such host")
	})
	t.Run("are left when the caller gives up, but not by the others", func(t *testing.T) {
		t.Parallel()
		repository := chartserver.NewRepository(t, chartserver.Package(t, "app", "1.2.3", nil))
		asked, answer := make(chan struct{}), make(chan struct{})
		repository.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "index.yaml") {
				close(asked)
				<-answer
			}
			return false
		})
		fetcher := newFetcher(t)
		source := Source{Chart: "app", Repository: repository.URL}
		ctx, cancel := context.WithCancel(t.Context())
		first, second := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := fetcher.Fetch(ctx, source)
			first <- err
		}()
		<-asked
		go func() {
			_, err := fetcher.Fetch(t.Context(), source)
			second <- err
		}()
		cancel()
		refused(t, <-first, Interrupted)
		close(answer)
		require.NoError(t, <-second)
	})
}

func TestALocalChartCausesNoRequest(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"Chart.yaml":         "name: app\nversion: 1.0.0\ndependencies:\n- name: redis\n  version: 1.0.0\n  repository: http://127.0.0.1:1\n",
		"values.schema.json": `{"$ref":"http://127.0.0.1:1/schema.json"}`,
	}
	folder := chartserver.WriteFolder(t, t.TempDir(), "app", "1.0.0", files)
	saved := chartserver.Package(t, "app", "1.0.0", files).Save(t, t.TempDir())
	for _, path := range []string{folder, saved} {
		fetcher := offline(t, &Fetcher{Cache: filepath.Join(t.TempDir(), "cache")})
		_, err := fetcher.Fetch(t.Context(), Source{Chart: path, Username: "me", Password: password}) // [H16]
		require.NoError(t, err)
		_, err = fetcher.Fetch(t.Context(), Source{Chart: path, Digest: digestOf(nil)})
		refused(t, err, OtherDigest)
		_, err = os.Stat(fetcher.Cache)
		require.ErrorIs(t, err, os.ErrNotExist, "nor a cache")
	}
}
