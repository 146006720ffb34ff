package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"time"
)

// kubeProxy passes requests on to a Kubernetes API server, and lets faults happen to them as to those of the Tailscale API.
type kubeProxy struct {
	tailnet *Tailnet
	next    *httputil.ReverseProxy
}

func newKubeProxy(tailnet *Tailnet, server, caFile string) (*kubeProxy, error) {
	target, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%s: no certificate in it", caFile)
	}
	next := httputil.NewSingleHostReverseProxy(target)
	next.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	next.FlushInterval = -1                    // watches
	next.ErrorLog = log.New(io.Discard, "", 0) // who asked is gone, as is meant
	return &kubeProxy{tailnet, next}, nil
}

func (p *kubeProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api, watch := kubernetesAPI, r.URL.Query().Get("watch") != ""
	if watch {
		api = kubernetesWatch
	}
	fault := p.tailnet.takeFault(api, r)
	switch {
	case fault == nil:
		p.next.ServeHTTP(w, r)
	case fault.Kind == "slow":
		time.Sleep(fault.delay)
		p.next.ServeHTTP(w, r)
	case fault.Kind == "reset" || fault.Kind == "lost" && watch:
		reset(w)
	case fault.Kind == "lost":
		p.next.ServeHTTP(httptest.NewRecorder(), r)
		reset(w)
	case fault.Kind == "410" && watch:
		json.NewEncoder(w).Encode(map[string]any{"type": "ERROR", "object": status(410, "Expired")})
	case fault.Kind == "410":
		refuseAsKube(w, 410, "Expired")
	case fault.Kind == "429":
		w.Header().Set("Retry-After", fmt.Sprint(fault.RetryAfter))
		refuseAsKube(w, 429, "TooManyRequests")
	default:
		refuseAsKube(w, 500, "InternalError")
	}
}

func refuseAsKube(w http.ResponseWriter, code int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(status(code, reason))
}

func status(code int, reason string) map[string]any {
	return map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": "a fault", "code": code}
}

// serve listens on loopback under a certificate of its own, and returns the address and that certificate.
func (p *kubeProxy) serve() (address, certificate string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kube-proxy"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(240 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return "", "", err
	}
	pair := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	listener := listen("127.0.0.1:0")
	server := &http.Server{Handler: p, ErrorLog: p.next.ErrorLog, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}}
	go server.ServeTLS(listener, "", "")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return "https://" + listener.Addr().String(), string(text), nil
}
