package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"time"
)

// What faults happen to.
const (
	tailscaleAPI    = "tailscale"
	kubernetesAPI   = "kubernetes" // but for watches
	kubernetesWatch = "kubernetes watch"
)

// Fault is what happens to the next Count requests to the API that match.
type Fault struct {
	// Method, or empty for any; Path is a regular expression that the whole path must match.
	Method string `json:"method"`
	Path   string `json:"path"`
	Count  int    `json:"count"`
	// API is one of the above, or empty for any.
	API string `json:"api,omitempty"`
	// Kind: "429", "500", "410", "reset" (nothing is done), "slow" (done after Delay), "lost" (done, but the answer is not sent).
	Kind       string `json:"kind"`
	RetryAfter int    `json:"retryAfter,omitempty"`
	Delay      string `json:"delay,omitempty"`
	path       *regexp.Regexp
	delay      time.Duration
}

func (f *Fault) check() (err error) {
	if f.path, err = regexp.Compile("^(?:" + f.Path + ")$"); err != nil {
		return refuse(400, "path: %v", err)
	}
	if f.Delay != "" {
		if f.delay, err = time.ParseDuration(f.Delay); err != nil {
			return refuse(400, "delay: %v", err)
		}
	}
	switch {
	case f.Count < 1:
		return refuse(400, "found count %d, expected 1 or more", f.Count)
	case !slices.Contains([]string{"429", "500", "410", "reset", "slow", "lost"}, f.Kind):
		return refuse(400, "found kind %q, expected 429, 500, 410, reset, slow or lost", f.Kind)
	case !slices.Contains([]string{"", tailscaleAPI, kubernetesAPI, kubernetesWatch}, f.API):
		return refuse(400, "found api %q, expected tailscale, kubernetes or kubernetes watch", f.API)
	case (f.Kind == "slow") != (f.delay > 0):
		return refuse(400, "delay belongs to kind slow, and only there")
	case f.RetryAfter != 0 && f.Kind != "429":
		return refuse(400, "retryAfter belongs to kind 429 only")
	}
	return nil
}

// takeFault finds the first fault for a request to an API and counts it down.
func (t *Tailnet) takeFault(api string, r *http.Request) *Fault {
	t.mu.Lock()
	defer t.mu.Unlock()
	for index, fault := range t.faults {
		if fault.Method != "" && fault.Method != r.Method || fault.API != "" && fault.API != api || !fault.path.MatchString(r.URL.Path) {
			continue
		}
		taken := *fault
		if fault.Count--; fault.Count == 0 {
			t.faults = slices.Delete(t.faults, index, index+1)
		}
		t.taken[api+"/"+taken.Kind]++
		return &taken
	}
	return nil
}

// reset makes the peer see "connection reset by peer".
func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	connection.Close()
}

type arrivalKey struct{}

// arrival tells when a request came in, before any delay.
func arrival(r *http.Request) time.Time {
	if at, ok := r.Context().Value(arrivalKey{}).(time.Time); ok {
		return at
	}
	return time.Now().UTC()
}

func (t *Tailnet) withFaults(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := Request{Method: r.Method, Path: r.URL.Path, At: time.Now().UTC()}
		r = r.WithContext(context.WithValue(r.Context(), arrivalKey{}, request.At))
		fault := t.overLimit()
		if fault == nil {
			fault = t.takeFault(tailscaleAPI, r)
		}
		if fault != nil {
			request.Fault = fault.Kind
		}
		defer func() { t.record(request) }()
		if fault != nil && fault.Kind != "slow" && fault.Kind != "lost" {
			request.Status = fault.refuse(w)
			return
		}
		if fault != nil && fault.Kind == "slow" {
			time.Sleep(fault.delay)
		}
		done := httptest.NewRecorder()
		done.Body = new(bytes.Buffer)
		next.ServeHTTP(done, r)
		request.Status, request.Client = done.Code, done.Header().Get("X-Testnet-Client")
		if fault != nil && fault.Kind == "lost" {
			reset(w)
			return
		}
		w.Header().Set("Content-Type", done.Header().Get("Content-Type"))
		w.WriteHeader(done.Code)
		w.Write(done.Body.Bytes())
	})
}

// refuse answers as the fault wants, and returns the status; 0 is a reset.
func (f *Fault) refuse(w http.ResponseWriter) int {
	switch f.Kind {
	case "429":
		w.Header().Set("Retry-After", fmt.Sprint(f.RetryAfter))
		return answer(w, nil, refuse(429, "rate limit exceeded"))
	case "500":
		return answer(w, nil, refuse(500, "internal server error"))
	case "410":
		return answer(w, nil, refuse(410, "gone"))
	}
	reset(w)
	return 0
}
