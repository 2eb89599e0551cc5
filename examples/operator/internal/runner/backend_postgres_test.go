package runner_test

import (
	"encoding/base64"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	postgresUser     = "states"
	postgresPassword = "Oo5-correct-horse"
)

// database is one of a PostgreSQL server on loopback.
type database struct {
	t        *testing.T
	programs string
	port     string
}

// newDatabase starts a server, which wants a password.
func newDatabase(t *testing.T) database {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin") // of Debian and Ubuntu
	require.NoError(t, err)
	if len(found) == 0 {
		t.Skip("it needs a PostgreSQL server: apt-get install postgresql")
	}
	d := database{t: t, programs: slices.Max(found), port: freePort(t)}
	folder, err := os.MkdirTemp("", "postgres-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	password := filepath.Join(folder, "password")
	require.NoError(t, os.WriteFile(password, []byte(postgresPassword), 0o600))
	if os.Getuid() == 0 { // as whom it does not start
		uid, gid := accountOfPostgres(t)
		require.NoError(t, os.Chown(folder, uid, gid))
		require.NoError(t, os.Chown(password, uid, gid))
	}
	data := filepath.Join(folder, "data")
	out, err := d.server("initdb", "--pgdata="+data, "--username="+postgresUser, "--pwfile="+password, "--auth=scram-sha-256", "--no-sync").CombinedOutput()
	require.NoError(t, err, string(out))
	running := d.server("postgres", "-D", data, "-p", d.port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+folder, "-c", "fsync=off")
	require.NoError(t, running.Start())
	t.Cleanup(func() {
		_ = running.Process.Signal(syscall.SIGQUIT)
		_ = running.Wait()
	})
	require.Eventually(t, func() bool {
		return exec.Command(filepath.Join(d.programs, "pg_isready"), "--host=127.0.0.1", "--port="+d.port).Run() == nil //nolint:gosec // of the machine
	}, time.Minute, 50*time.Millisecond, "the server answers")
	return d
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close() //nolint:errcheck // nothing was written
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}

// accountOfPostgres is the account that the package makes.
func accountOfPostgres(t *testing.T) (uid, gid int) {
	t.Helper()
	account, err := user.Lookup("postgres")
	require.NoError(t, err)
	uid, err = strconv.Atoi(account.Uid)
	require.NoError(t, err)
	gid, err = strconv.Atoi(account.Gid)
	require.NoError(t, err)
	return uid, gid
}

// server is a program of the server. It ends with the test.
func (d database) server(name string, args ...string) *exec.Cmd {
	d.t.Helper()
	command := exec.CommandContext(d.t.Context(), filepath.Join(d.programs, name), args...) //nolint:gosec // of the machine
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		uid, gid := accountOfPostgres(d.t)
		command.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // as the system has them
	}
	return command
}

func (d database) url() string {
	return "postgres://127.0.0.1:" + d.port + "/postgres?sslmode=disable"
}

func (d database) credentials() map[string]string {
	return map[string]string{"PGUSER": postgresUser, "PGPASSWORD": postgresPassword}
}

func (d database) wrongCredentials() map[string]map[string]string {
	return map[string]map[string]string{
		"another password":                         {"PGUSER": postgresUser, "PGPASSWORD": "Oo5-another-horse"},
		"an account that the server does not know": {"PGUSER": "nobody", "PGPASSWORD": postgresPassword},
	}
}

func (d database) secretVariable() string { return "PGPASSWORD" }

// query runs a statement, in which :'key' and :'data' are what is given. Pulumi puts the path of the URL before its keys.
func (d database) query(statement, key, data string) string {
	d.t.Helper()
	command := exec.Command(filepath.Join(d.programs, "psql"), "--host=127.0.0.1", "--port="+d.port, "--dbname=postgres", "--no-psqlrc", "--tuples-only", //nolint:gosec // of the machine
		"--no-align", "--set=ON_ERROR_STOP=1", "--set=key=postgres/"+key, "--set=data="+data)
	for name, value := range d.credentials() {
		command.Env = append(command.Env, name+"="+value)
	}
	command.Stdin = strings.NewReader(statement)
	out, err := command.CombinedOutput()
	require.NoError(d.t, err, "%s: %s", statement, out)
	return strings.TrimSuffix(string(out), "\n")
}

func (d database) keys(folder string) []string {
	d.t.Helper()
	if d.query("SELECT to_regclass('pulumi_state')", "", "") == "" {
		return nil // Nobody has used it yet.
	}
	var keys []string
	for key := range strings.FieldsSeq(d.query("SELECT key FROM pulumi_state WHERE starts_with(key, :'key')", ".pulumi/"+folder+"/", "")) {
		keys = append(keys, strings.TrimPrefix(key, "postgres/"))
	}
	return keys
}

// Pulumi keeps contents as {"data": "…"}, in base64.
func (d database) get(key string) []byte {
	d.t.Helper()
	content, err := base64.StdEncoding.DecodeString(d.query("SELECT data->>'data' FROM pulumi_state WHERE key = :'key'", key, ""))
	require.NoError(d.t, err)
	return content
}

func (d database) put(key string, content []byte) {
	d.t.Helper()
	d.query("INSERT INTO pulumi_state (key, data) VALUES (:'key', json_build_object('data', :'data')) ON CONFLICT (key) DO UPDATE SET data = excluded.data",
		key, base64.StdEncoding.EncodeToString(content))
}

func (d database) remove(key string) {
	d.t.Helper()
	d.query("DELETE FROM pulumi_state WHERE key = :'key'", key, "")
}

func TestStateInPostgres(t *testing.T) { // [X69]
	t.Parallel()
	liveInBackend(t, newDatabase(t))
}
