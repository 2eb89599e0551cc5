// Image writes the operator's image without a container runtime and without another image: as an archive in OCI's layout,
// which "ctr images import", "docker load", "skopeo copy oci-archive:" and registries' tools take, and as a folder with
// the files of its root.
//
// The programs are files of this machine, each named as it is called in the image:
//
//	image -archive operator-image.tar -root operator-root /operator=bin/operator /pulumi=bin/pulumi …
//
// With -add, it also has files and folders that are not programs of the operator: an image with a program in another language than YAML, its
// runtime and its host. Libraries of a runtime are files like others:
//
//	image … -add /program=FOLDER -add /node=/usr/bin/node -add /lib64/ld-linux-x86-64.so.2=/lib64/ld-linux-x86-64.so.2
//
// Beside them the image has the certificates of the authorities that Mozilla trusts, and a folder /tmp. There is no shell.
//
// The same programs give the same bytes: all files are of 1980, in the order of their names, and the certificates come
// with this program's go.mod. Each program has a layer of its own, and so has what was added, so what did not change is not transferred again.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// imageName is the image's name where no other is wanted, which is also that of the controller's flag --runner-image.
const imageName = "localhost/k8sconnect-operator:dev"

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	archive := flags.String("archive", "", "the `file` to write as an archive")
	root := flags.String("root", "", "the `folder` to write the files to")
	name := flags.String("name", imageName, "the image's `name`, with its tag")
	var added []file
	flags.Func("add", "a file or folder that the image has, too, as `/PATH=SOURCE`; may be repeated", func(arg string) error {
		path, source, found := strings.Cut(arg, "=")
		if !found || !strings.HasPrefix(path, "/") {
			return errors.New("want /PATH=SOURCE")
		}
		files, err := tree(path, source)
		added = append(added, files...)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *archive == "" && *root == "" {
		return errors.New("nothing to write: set -archive, -root or both")
	}
	programs := map[string]string{}
	for _, arg := range flags.Args() {
		path, source, found := strings.Cut(arg, "=")
		if !found || !strings.HasPrefix(path, "/") {
			return fmt.Errorf("argument %q: want /PROGRAM=FILE", arg)
		}
		programs[path] = source
	}
	made, err := newImage(programs)
	if err != nil {
		return err
	}
	if err := made.add(added); err != nil {
		return err
	}
	if *root != "" {
		if err := made.unpack(*root); err != nil {
			return fmt.Errorf("folder %s: %w", *root, err)
		}
	}
	if *archive == "" {
		return nil
	}
	digest, err := made.archive(*name, *archive)
	if err != nil {
		return fmt.Errorf("archive %s: %w", *archive, err)
	}
	_, err = fmt.Fprintf(out, "%s@%s\n", *name, digest)
	return err
}
