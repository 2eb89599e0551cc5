// Workload is what runs in the containers of the tests. Which it is says its first argument.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

func main() {
	programs := map[string]func(){
		"fail": fail, "crash": crash, "serve": serve, "count": count, "stubborn": stubborn, "webhook": webhook,
		"wait": wait, "work": work, "dawdle": dawdle, "operator": operator, "version": version,
	}
	if len(os.Args) == 2 && programs[os.Args[1]] != nil {
		programs[os.Args[1]]()
		return
	}
	fmt.Fprintln(os.Stderr, "workload: say which")
	os.Exit(2)
}

// fail is work that cannot be done.
func fail() {
	fmt.Println("migrating 12 tables")
	fmt.Println("FATAL: the table orders is locked")
	os.Exit(3)
}

// dawdle is work that takes longer than anybody waits.
func dawdle() {
	fmt.Println("copying 3 of 1000 tables")
	time.Sleep(time.Hour)
}

// version is work that is done at once.
func version() { fmt.Println("version " + os.Getenv("VERSION")) }

// crash is a server that does not get far.
func crash() {
	fmt.Println("starting")
	fmt.Println("panic: no connection to db:5432")
	os.Exit(7)
}

// gates is a folder in which a test opens a gate by making a file of its name.
const gates = "/gates"

func isOpen(gate string) bool {
	_, err := os.Stat(filepath.Join(gates, gate))
	return err == nil
}

// ownGate is that of this version in this pod.
func ownGate() string {
	name, _ := os.Hostname() // which is the pod's
	return os.Getenv("VERSION") + "-" + name
}

// wait is work that is done when the gate is open that $GATE names, or its own.
func wait() {
	for !isOpen(cmp.Or(os.Getenv("GATE"), ownGate())) {
		time.Sleep(50 * time.Millisecond)
	}
}

// work is the work called $NAME. It is done when the gate of this name is open where $HELD says so, and fails while there is a
// gate NAME-fails. The file journal among the gates gets a line when it begins and another when it is done.
func work() {
	name := os.Getenv("NAME")
	note(name + " began")
	for os.Getenv("HELD") != "" && !isOpen(name) {
		time.Sleep(50 * time.Millisecond)
	}
	if isOpen(name + "-fails") {
		fail()
	}
	fmt.Println(name + " is done")
	note(name + " ended")
}

// note writes a line with the time into the journal.
func note(what string) {
	journal, err := os.OpenFile(filepath.Join(gates, "journal"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(journal, time.Now().UTC().Format(time.RFC3339Nano), what)
		err = errors.Join(err, journal.Close())
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// serve is a server. It is ready when $READY is not "never" and, where there are gates, when its own is open.
func serve() {
	_, err := os.Stat(gates)
	gated := err == nil
	http.HandleFunc("/ready", func(rw http.ResponseWriter, _ *http.Request) {
		if os.Getenv("READY") == "never" || gated && !isOpen(ownGate()) {
			http.Error(rw, "the cache is still cold", http.StatusServiceUnavailable)
		}
	})
	http.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, os.Getenv("VERSION")) })
	listen()
}

// count is a server that knows how often it was started: it keeps that in the volume /data.
func count() {
	const file = "/data/boots"
	content, _ := os.ReadFile(file) // not there the first time
	boots, _ := strconv.Atoi(string(content))
	if err := os.WriteFile(file, []byte(strconv.Itoa(boots+1)), 0o600); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	serve()
}

// stubborn is a server that ends only when it is killed.
func stubborn() {
	signal.Ignore(syscall.SIGTERM)
	serve()
}

func listen() {
	terminated := make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGTERM) {
		signal.Notify(terminated, syscall.SIGTERM)
	}
	go func() {
		fmt.Println(http.ListenAndServe(":8080", nil))
		os.Exit(1)
	}()
	<-terminated
}

// webhook refuses everything, in the words of $REFUSES, or allows it where there are none. Its certificate is in /tls.
func webhook() {
	http.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID string `json:"uid"`
			} `json:"request"`
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &review); err != nil {
			http.Error(rw, "not a review", http.StatusBadRequest)
			return
		}
		response := map[string]any{"uid": review.Request.UID, "allowed": true}
		if words := os.Getenv("REFUSES"); words != "" {
			response["allowed"], response["status"] = false, map[string]any{"message": words, "code": http.StatusForbidden}
		}
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{
			"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response,
		})
	})
	const certificates = "/tls"
	fmt.Println(http.ListenAndServeTLS(":8443", filepath.Join(certificates, "tls.crt"), filepath.Join(certificates, "tls.key"), nil))
	os.Exit(1)
}
