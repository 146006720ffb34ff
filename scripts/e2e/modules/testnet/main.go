// Testnet is a tailnet for tests: Tailscale's own test control server and relay, and in front of them a strict fake of the
// documented Tailscale API that knows which auth key was minted, spent and revoked, and to which device it led.
//
// Nodes register only with a key that this API minted; a single-use key registers one device. A deleted device is logged out
// and leaves its peers' maps. One process is one tailnet; run several for several tailnets.
//
// It does not check clients' certificates, or keep anything across a restart.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
)

func listen(address string) net.Listener {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	return listener
}

func main() {
	log.SetFlags(log.Ltime | log.Lmicroseconds)
	address := flag.String("listen", "127.0.0.1:0", "where the API and the control server listen; clients log in there")
	admin := flag.String("admin", "127.0.0.1:0", "where the admin endpoint listens; a loopback address")
	apiOnly := flag.Bool("api-only", false, "no control server and no relay: devices are played through the admin endpoint")
	clients := flag.String("clients", "", "JSON file with the OAuth clients (see README.md); more through the admin endpoint")
	kube := flag.String("kube", "", "URL of a Kubernetes API server; faults happen to what is sent to it through the address printed as \"kube\"")
	kubeCA := flag.String("kube-ca", "", "file with the certificate of its authority")
	dns := flag.String("dns", "", "admin URL of pebble (scripts/e2e/modules/pebble), which gets the records by which nodes ask for certificates")
	domain := flag.String("domain", "lab.ts.net", "MagicDNS domain of the tailnet")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "testnet: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}

	tailnet := newTailnet(*domain)
	if *clients != "" {
		text, err := os.ReadFile(*clients)
		if err != nil {
			log.Fatal(err)
		}
		var list []Client
		if err := decodeStrictly(text, &list); err != nil {
			log.Fatalf("%s: %v", *clients, err)
		}
		for _, client := range list {
			if err := tailnet.addClient(client); err != nil {
				log.Fatalf("%s: %v", *clients, err)
			}
		}
	}

	adminListener := listen(*admin)
	if !adminListener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		log.Fatalf("the admin endpoint must listen on a loopback address, found %q", *admin)
	}
	listener := listen(*address)
	handler := http.NewServeMux()
	handler.Handle("/api/v2/", tailnet.apiHandler())
	if !*apiOnly {
		tailnet.control = newControl(tailnet, listener.Addr().(*net.TCPAddr), *dns)
		handler.Handle("/", tailnet.control)
	}
	told := map[string]string{
		"url": "http://" + listener.Addr().String(), "admin": "http://" + adminListener.Addr().String(), "domain": *domain,
	}
	if *kube != "" {
		proxy, err := newKubeProxy(tailnet, *kube, *kubeCA)
		if err == nil {
			told["kube"], told["kubeCA"], err = proxy.serve()
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	// One line says that all listen, for who started us on port 0.
	json.NewEncoder(os.Stdout).Encode(told)
	go func() { log.Fatal(http.Serve(adminListener, tailnet.adminHandler())) }()
	log.Fatal(http.Serve(listener, handler))
}
