package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
)

// failure is an answer other than 200; the API says why as {"message": …}.
type failure struct {
	status  int
	message string
}

func (f failure) Error() string { return f.message }

func refuse(status int, format string, args ...any) error {
	return failure{status, fmt.Sprintf(format, args...)}
}

// Request is one request to the API, as it was answered.
type Request struct {
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Client string    `json:"client,omitempty"`
	Status int       `json:"status"`
	Fault  string    `json:"fault,omitempty"`
	At     time.Time `json:"at"`
}

const requestsKept = 5000

func (t *Tailnet) record(request Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[fmt.Sprintf("%s %d", request.Method, request.Status)]++
	t.requests = append(t.requests, request)
	if excess := len(t.requests) - requestsKept; excess > 0 {
		t.requests = slices.Delete(t.requests, 0, excess)
	}
}

// decodeStrictly refuses unknown fields, and anything behind the value.
func decodeStrictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("found more than one JSON value")
	}
	return nil
}

func contentType(r *http.Request) string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind
}

const bodyLimit = 1 << 20

// body decodes the JSON body of a request, strictly. The reference operator names no content type.
func body(r *http.Request, into any) error {
	if found := contentType(r); found != "" && found != "application/json" {
		return refuse(400, "found content type %q, expected application/json", found)
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, bodyLimit))
	if err != nil {
		return err
	}
	if err := decodeStrictly(text, into); err != nil {
		return refuse(400, "invalid request body: %v", err)
	}
	return nil
}

func answer(w http.ResponseWriter, value any, err error) int {
	status := http.StatusOK
	if err != nil {
		status = http.StatusInternalServerError
		var known failure
		if errors.As(err, &known) {
			status = known.status
		}
		value = map[string]string{"message": err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
	return status
}

// none is the body of answers that say nothing.
var none = struct{}{}

// caller is the client behind an access token.
type caller struct{ Client }

// need refuses a caller that lacks a scope; X includes X:read, and "all" everything.
func (c caller) need(scope string) error {
	if slices.ContainsFunc([]string{scope, strings.TrimSuffix(scope, ":read"), "all"}, func(have string) bool {
		return slices.Contains(c.Scopes, have)
	}) || strings.HasSuffix(scope, ":read") && slices.Contains(c.Scopes, "all:read") {
		return nil
	}
	return refuse(403, "calling actor does not have enough permissions to perform this function: scope %q is missing", scope)
}

// mayTag refuses tags that are malformed or not the client's own, without the spaces around them. Everything that an OAuth client makes is tagged.
func (c caller) mayTag(tags []string) error {
	if len(tags) == 0 {
		return refuse(400, "requested tags [] are invalid or not permitted: an OAuth client must set tags")
	}
	for _, tag := range tags {
		tag = strings.TrimSpace(tag)
		if !tagForm.MatchString(tag) || !slices.Contains(c.Tags, tag) {
			return refuse(400, "requested tags %v are invalid or not permitted: %q is not a tag of client %q", tags, tag, c.ID)
		}
	}
	return nil
}

type endpoint func(*http.Request, caller) (any, error)

// queries are the query parameters of the endpoints that have any, with their values.
var queries = map[string]map[string][]string{
	"GET /api/v2/tailnet/{tailnet}/keys":    {"all": {"true", "false"}},
	"GET /api/v2/tailnet/{tailnet}/devices": {"fields": {"default", "all"}},
	"GET /api/v2/device/{id}":               {"fields": {"default", "all"}},
}

// checkURL takes the one tailnet that a client's token is for, and no query parameter that is not the endpoint's.
func checkURL(pattern string, r *http.Request) error {
	if found := r.PathValue("tailnet"); strings.Contains(pattern, "{tailnet}") && found != "-" {
		return refuse(404, "found tailnet %q, expected \"-\"", found)
	}
	for name, values := range r.URL.Query() {
		if len(values) != 1 || !slices.Contains(queries[pattern][name], values[0]) {
			return refuse(400, "unexpected query parameter %q with value %q", name, values)
		}
	}
	return nil
}

// apiHandler serves the documented paths; whatever else is asked for gets 404, and each request is recorded.
func (t *Tailnet) apiHandler() http.Handler {
	mux := http.NewServeMux()
	serve := func(pattern, scope string, do endpoint) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			client, err := t.authenticate(r)
			var value any
			if err == nil {
				err = client.need(scope)
			}
			if err == nil {
				err = checkURL(pattern, r)
			}
			if err == nil {
				value, err = do(r, client)
			}
			w.Header().Set("X-Testnet-Client", client.ID)
			answer(w, value, err)
		})
	}
	mux.HandleFunc("POST /api/v2/oauth/token", func(w http.ResponseWriter, r *http.Request) {
		value, err := t.tokenForSecret(r)
		answer(w, value, err)
	})
	mux.HandleFunc("POST /api/v2/oauth/token-exchange", func(w http.ResponseWriter, r *http.Request) {
		value, err := t.tokenForJWT(r)
		answer(w, value, err)
	})
	const tailnet = "/api/v2/tailnet/{tailnet}"
	serve("POST "+tailnet+"/keys", "auth_keys", t.createKey)
	serve("GET "+tailnet+"/keys", "auth_keys:read", t.listKeys)
	serve("GET "+tailnet+"/keys/{id}", "auth_keys:read", t.getKey)
	serve("DELETE "+tailnet+"/keys/{id}", "auth_keys", t.deleteKey)
	serve("GET "+tailnet+"/devices", "devices:core:read", t.listDevices)
	serve("GET /api/v2/device/{id}", "devices:core:read", t.getDevice)
	serve("DELETE /api/v2/device/{id}", "devices:core", t.deleteDevice)
	serve("POST /api/v2/device/{id}/tags", "devices:core", t.setTags)
	serve("POST /api/v2/device/{id}/name", "devices:core", t.setName)
	serve("GET /api/v2/device/{id}/routes", "devices:routes:read", t.getRoutes)
	serve("POST /api/v2/device/{id}/routes", "devices:routes", t.setRoutes)
	serve("GET "+tailnet+"/vip-services", "services:read", t.listServices)
	serve("GET "+tailnet+"/vip-services/{name}", "services:read", t.getService)
	serve("PUT "+tailnet+"/vip-services/{name}", "services", t.putService)
	serve("DELETE "+tailnet+"/vip-services/{name}", "services", t.deleteService)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, nil, refuse(404, "no such endpoint: %s %s", r.Method, r.URL.Path))
	})
	return t.withFaults(mux)
}
