// Command recorder is a proxy between a client and a Kubernetes API server, and writes what the client asks for to standard output: one line of
// JSON for each request that is not a watch, with the objects of a write as they were submitted. The server's own audit log fills in defaults.
//
//	recorder --kubeconfig FILE --listen 127.0.0.1:PORT
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"

	admission "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	networking "k8s.io/api/networking/v1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type entry struct {
	Method  string          `json:"method"`
	Path    string          `json:"path"`
	Kind    string          `json:"kind"` // of a patch
	Status  int             `json:"status"`
	Request json.RawMessage `json:"request,omitempty"`
	Answer  json.RawMessage `json:"answer,omitempty"`
}

type recorder struct {
	next    http.Handler
	decoder runtime.Decoder
	mu      sync.Mutex
	out     *json.Encoder
}

// asJSON turns protobuf into JSON and fills nothing in. JSON stays as it is; what is neither becomes null.
func (p *recorder) asJSON(body []byte) json.RawMessage {
	if json.Valid(body) {
		return body
	}
	object, _, err := p.decoder.Decode(body, nil, nil)
	if err != nil {
		return json.RawMessage("null")
	}
	text, err := json.Marshal(object)
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

type answer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(part []byte) (int, error) {
	a.body.Write(part)
	return a.ResponseWriter.Write(part)
}

func (p *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("watch") != "" {
		p.next.ServeHTTP(w, r)
		return
	}
	found := entry{Method: r.Method, Path: r.URL.Path, Kind: r.Header.Get("Content-Type")}
	seen := &answer{ResponseWriter: w, status: 200}
	if r.Method == http.MethodGet {
		p.next.ServeHTTP(w, r)
		p.write(found)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set("Accept-Encoding", "identity")
	p.next.ServeHTTP(seen, r)
	found.Status, found.Request, found.Answer = seen.status, p.asJSON(body), p.asJSON(seen.body.Bytes())
	p.write(found)
}

func (p *recorder) write(found entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.out.Encode(found); err != nil {
		log.Fatal(err)
	}
}

func newRecorder(kubeconfig string) (*recorder, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	next := httputil.NewSingleHostReverseProxy(target)
	if next.Transport, err = rest.TransportFor(config); err != nil {
		return nil, err
	}
	next.FlushInterval = -1                    // watches
	next.ErrorLog = log.New(io.Discard, "", 0) // who asked is gone, as is meant
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{admission.AddToScheme, apps.AddToScheme, core.AddToScheme, discovery.AddToScheme,
		networking.AddToScheme, rbac.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	meta.AddToGroupVersion(scheme, core.SchemeGroupVersion)
	return &recorder{next: next, decoder: serializer.NewCodecFactory(scheme).UniversalDeserializer(), out: json.NewEncoder(os.Stdout)}, nil
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	address := flag.String("listen", "127.0.0.1:0", "where clients come, without credentials")
	flag.Parse()
	if strings.Trim(*kubeconfig, " ") == "" || flag.NArg() > 0 {
		log.Fatal("usage: recorder --kubeconfig FILE --listen 127.0.0.1:PORT")
	}
	found, err := newRecorder(*kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(*address, found))
}
