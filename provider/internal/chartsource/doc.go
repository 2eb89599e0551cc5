// Package chartsource gets the files of a Helm chart: from a folder, an archive, an http(s) address, a chart repository or
// an OCI registry. It neither parses nor renders them.
//
// Its laws:
//
//   - A folder or an archive on disk causes no request, whatever it holds.
//   - A digest that is given decides: other contents are refused, with both digests. It is the digest of the archive (in a
//     registry also that of the manifest, which `helm push` prints), and for a folder that of its files. The digest that an
//     index or a manifest states is verified in the same way.
//   - What is pinned by a digest is read from the cache without a request, if its name and version are the ones asked for.
//     Everything else is asked for again in each process, but only once: preview and update ask for a chart several times.
//     Folders and archives on disk are read each time.
//   - Exact versions do not change by convention. If the server cannot be reached, or fails, an exact version that was
//     fetched before under a verified digest comes from the cache, and the result says so. A range, the newest version, a
//     tag that is no version, and an address without a digest never do. Neither does anything that the server denies.
//   - A file of the cache is used only if its contents have its digest. It is written under another name and then renamed.
//     A cache that cannot be read or written makes things slower and is never an error.
//   - Everything has a bound: time to connect, time without progress, time in all, size of each answer, unpacked size, size
//     and number of files. An archive with paths that lead out of it, with links or with devices is refused.
//   - Credentials go to the scheme, host and port that they are for, and to the token service that a registry names. They
//     follow no redirect to another origin, and appear in no error and no location. A redirect from https to http is not
//     followed.
//   - Each error is an [*Error] of one [Class]. It says what happened, why, and what to do next.
//
// As helm does:
//
//   - Links in a folder are followed, also out of it: charts share files and subcharts that way. Everything else that is not
//     a file or a folder is refused, and so is a link to a folder that contains it, in which helm runs until it is lost.
//   - .helmignore counts, and hidden files in templates/ are left out.
//   - A version is exact, or a range, or empty for the newest. Pre-releases count only if the version names one.
//   - An index may name an address on another server, or in a registry. Addresses in it are relative to the repository.
//   - A registry has versions as tags, with _ for +. Logins of helm and docker count if there is no user name.
//
// Unlike helm, a registry on localhost is asked by plain HTTP without a setting if it does not speak TLS, as docker does, and
// any other one must speak TLS. A version that a folder or an archive does not have is an error rather than ignored. Names of
// repositories that `helm repo add` has stored are not read: a program must mean the same on every machine. Provenance files
// are not verified; a digest says more.
package chartsource
