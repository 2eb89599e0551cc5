// Package chartsource gets the files of a Helm chart: from a folder, an archive, an http(s) address, a chart repository or
// an OCI registry. It neither parses nor renders them. By the same rules it downloads single files that are no charts, such as
// definitions of kinds.
//
// Its laws:
//
//   - A folder or an archive on disk causes no request, whatever its contents.
//   - A given digest is binding: other contents are refused, and the error names both digests. It is the digest of the archive. In a
//     registry it can also be the digest of the manifest, which `helm push` prints; for a folder it is the digest of the files. The digest
//     that an index or a manifest states is verified in the same way.
//   - A chart that is pinned by a digest is read from the cache without a request, if its name and version are the ones asked for. All
//     other charts are requested again in each process, but only once: preview and update ask for a chart several times. Folders and
//     archives on disk are read each time.
//   - Exact versions do not change by convention. If the server cannot be reached, or fails, an exact version that was fetched before under
//     a verified digest comes from the cache, and the result says so. A range, the newest version, a tag that is not a version, and an
//     address without a digest never come from the cache in this case. Nor does a chart that the server refuses or does not have.
//   - Cached contents are used only if they have their digest. They are written under another name and then renamed. A cache that cannot be
//     read or written makes things slower and is never an error.
//   - Everything is bounded: time to connect, time without progress, total time, size of each answer, unpacked size, size and number of
//     files. An archive with paths that lead out of it, with links or with devices is refused.
//   - Credentials are sent to the scheme, host and port that they are for, and to the token service that a registry names. They do not
//     follow a redirect to another origin, and appear in no error and no location. A redirect from https to http is not followed.
//   - Each error is an [*Error] of one [Class]. It says what happened, why, and what to do next.
//
// As helm does:
//
//   - Links in a folder are followed, even out of the folder: charts share files and subcharts that way. Everything else that is not a file
//     or a folder is refused, and so is a link to a folder that contains it, in which helm loops endlessly.
//   - .helmignore applies, and hidden files in templates/ are left out.
//   - A version is exact, or a range, or empty for the newest. Pre-releases count only if the version names one.
//   - An index may name an address on another server, or in a registry. Addresses in it are relative to the repository.
//   - A registry has versions as tags, with _ for +. Logins of helm and docker are used if there is no user name.
//
// Unlike helm, this package asks a registry on localhost by plain HTTP without a setting if it does not speak TLS, as docker does; all
// other registries must speak TLS. If a folder or an archive does not have the given version, that is an error instead of being ignored.
// Repository names that `helm repo add` has stored are not read: a program must mean the same on every machine. Provenance files are not
// verified; a digest is stronger.
//
// # The files
//
// Where a chart comes from:
//
//   - what a program asks for, and what it gets: source.go
//   - what a source means, and which versions are exact: locate.go
//   - a folder or an archive on disk, .helmignore and links: folder.go
//   - a chart repository, or the address of an archive: repository.go; the index of a repository: index.go
//   - an OCI registry: registry.go; logins of helm and docker: logins.go
//
// Whether it is the right one:
//
//   - the newest version, and the newest in a range: select.go
//   - the name and the version in Chart.yaml: metadata.go
//   - contents with another digest: of an archive, archive.go, which unpacks it; of a folder, digest.go; of a manifest in a
//     registry, registry.go
//   - a chart from the cache: cache.go
//
// Requests:
//
//   - downloads, redirects, and to whom credentials are sent: access.go
//   - how long a request may take, and how big a chart may be: limits.go
//   - what went wrong, and what to do next: errors.go
package chartsource
