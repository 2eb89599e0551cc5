package artifact

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// Timeout is how long a look at a registry may take, all requests together.
const Timeout = 30 * time.Second

const (
	maxManifest = 1 << 20
	// maxPacked is how much is downloaded: what does not get smaller by packing, with the heads of its files.
	maxPacked = 2 << 20

	dockerManifest = "application/vnd.docker.distribution.manifest.v2+json"
	titleKey       = ocispec.AnnotationTitle
	unpackKey      = "io.deis.oras.content.unpack"
)

// Source is where a program is.
type Source struct {
	// Ref is registry/repository:tag.
	Ref string
	// Digest is what the manifest has to be; "" is whatever the tag points to.
	Digest string
	Login  *Login
}

// Found is what a registry has.
type Found struct {
	// Digest is that of the manifest.
	Digest string
	// Files are those of the program; nil if the digest is the one that is known.
	Files map[string][]byte
}

// Look asks a registry for a program. One whose digest is known is not downloaded again. All errors are problems.
func Look(ctx context.Context, source Source, known string) (Found, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	found, err := look(ctx, source, known)
	if err != nil {
		return Found{}, explain(err, source.shown(), source.Login)
	}
	return found, nil
}

func (s Source) shown() string {
	if s.Digest != "" {
		return s.Ref + "@" + s.Digest
	}
	return s.Ref
}

func look(ctx context.Context, source Source, known string) (Found, error) {
	at, err := registry.ParseReference(source.Ref)
	if err != nil {
		return Found{}, problem(ReasonReferenceInvalid, "%s is no reference: %v. One is registry.example.com/programs/webapp:1.4.", source.Ref, err)
	}
	client, closed, err := source.Login.client()
	if err != nil {
		return Found{}, err
	}
	defer closed()
	repository, err := source.repository(ctx, at, client)
	if err != nil {
		return Found{}, err
	}
	wanted := source.Digest
	if wanted == "" {
		described, err := repository.Manifests().Resolve(ctx, at.Reference)
		if err != nil {
			return Found{}, err
		}
		wanted = described.Digest.String()
	}
	if wanted == known {
		return Found{Digest: wanted}, nil
	}
	manifest, err := readManifest(ctx, repository, wanted)
	if err != nil {
		return Found{}, err
	}
	layers, err := readLayers(ctx, repository, manifest)
	if err != nil {
		return Found{}, err
	}
	files, err := Files(layers)
	return Found{Digest: wanted, Files: files}, err
}

func (s Source) repository(ctx context.Context, at registry.Reference, client *http.Client) (*remote.Repository, error) {
	credential, err := s.Login.credential(at)
	if err != nil {
		return nil, err
	}
	return &remote.Repository{
		Reference: at,
		Client: &auth.Client{
			Client:     client,
			Header:     http.Header{"User-Agent": {userAgent}},
			Cache:      auth.NewCache(),
			Credential: auth.StaticCredential(at.Registry, credential),
		},
		MaxMetadataBytes: maxManifest,
		PlainHTTP:        isLoopback(at.Host()) && speaksPlainHTTP(ctx, client, at.Host()),
	}, nil
}

// readManifest reads the manifest that a digest stands for.
func readManifest(ctx context.Context, repository *remote.Repository, wanted string) (*ocispec.Manifest, error) {
	described, body, err := repository.Manifests().FetchReference(ctx, wanted)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if described.Size > maxManifest {
		return nil, refused("its manifest is larger than %d bytes", maxManifest)
	}
	described.Digest = digest.Digest(wanted)
	encoded, err := content.ReadAll(io.LimitReader(body, maxManifest+1), described)
	if err != nil {
		return nil, err
	}
	if described.MediaType != ocispec.MediaTypeImageManifest && described.MediaType != dockerManifest {
		return nil, refused("it is a %s, and no artifact with files", described.MediaType)
	}
	manifest := &ocispec.Manifest{}
	if err := json.Unmarshal(encoded, manifest); err != nil {
		return nil, refused("its manifest is damaged: %v", err)
	}
	return manifest, nil
}

// readLayers reads the layers of a manifest, if they are not too large.
func readLayers(ctx context.Context, repository *remote.Repository, manifest *ocispec.Manifest) ([]Layer, error) {
	if len(manifest.Layers) > MaxFiles {
		return nil, refused("it has %d layers, and a program has at most %d files", len(manifest.Layers), MaxFiles)
	}
	left := int64(maxPacked)
	var layers []Layer
	for _, described := range manifest.Layers {
		if err := described.Digest.Validate(); err != nil {
			return nil, refused("the digest of a layer is none: %v", err)
		}
		if left -= described.Size; described.Size < 0 || left < 0 {
			return nil, refused("its layers are larger than %d MiB", maxPacked>>20)
		}
		data, err := content.FetchAll(ctx, repository.Blobs(), described)
		if err != nil {
			return nil, err
		}
		layers = append(layers, Layer{
			MediaType: described.MediaType, Title: described.Annotations[titleKey], Packed: described.Annotations[unpackKey] == "true", Content: data,
		})
	}
	return layers, nil
}
