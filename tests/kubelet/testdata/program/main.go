// Program does what its arguments say, one after the other, and prints what comes of it.
package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	for _, step := range os.Args[1:] {
		what, with, _ := strings.Cut(step, " ")
		switch what {
		case "print":
			fmt.Println(with)
		case "env":
			fmt.Printf("%s=%s\n", with, os.Getenv(with))
		case "id":
			groups, _ := os.Getgroups()
			host, _ := os.Hostname()
			fmt.Println("id", os.Getuid(), os.Getgid(), groups, os.Getpid(), host)
		case "read":
			content, err := os.ReadFile(with)
			fmt.Printf("%s: %s%v\n", with, content, err)
		case "write":
			fmt.Printf("write %s: %v\n", with, os.WriteFile(with, []byte("written"), 0o600))
		case "list":
			entries, err := os.ReadDir(with)
			fmt.Printf("%s: %v %v\n", with, entries, err)
		case "files": // those that are open
			fmt.Print("open:")
			for fd := range 1024 {
				if target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && !strings.HasPrefix(target, "anon_inode:") {
					name, _, _ := strings.Cut(target, ":")
					fmt.Print(" ", name)
				}
			}
			fmt.Println()
		case "message":
			_ = os.WriteFile("/dev/termination-log", []byte(with), 0o600)
		case "long":
			_ = os.WriteFile("/dev/termination-log", []byte(strings.Repeat("-", 5000)+"end"), 0o600)
		case "exit":
			code, _ := strconv.Atoi(with)
			os.Exit(code)
		case "child": // that is not ended by its parent
			_ = exec.Command(os.Args[0], "stubborn").Start()
		case "wait":
			fmt.Println("waiting")
			<-terminated
			fmt.Println("terminated")
		case "stubborn":
			fmt.Println("waiting")
			for {
				<-terminated
				fmt.Println("terminated, and staying")
			}
		case "sleep":
			duration, _ := time.ParseDuration(with)
			time.Sleep(duration)
		case "serve": // where, and the file that has to be there for it to be ready
			where, file, _ := strings.Cut(with, " ")
			go func() {
				fmt.Println(http.ListenAndServe(where, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					if _, err := os.Stat(file); err != nil {
						w.WriteHeader(http.StatusServiceUnavailable)
					}
				})))
			}()
		}
	}
}
