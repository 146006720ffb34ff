// Command pebble is Let's Encrypt's test authority, ACME at https://LISTEN/dir, with the DNS server at which it looks for challenges, and an
// admin endpoint: pebble's own (/roots/0 is the certificate of the authority, made anew at each start) and `POST /set-txt` {"host", "value"}
// for records of that DNS server. It logs each order and each validation.
//
// Three things are other than in its own program: no validation waits, no nonce is refused, and no validation is left out because of an earlier one;
// the answer to "finalize" names the order, as Let's Encrypt's does, without which tailscaled cannot wait for its certificate; and a certificate is
// valid from an hour before it is issued, as Let's Encrypt's is. Otherwise, if tailscaled is asked for a certificate while it orders it, it could
// find that the one it gets is not valid yet at the time of the question, and order another one.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/letsencrypt/challtestsrv"
	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
)

// finalizing lets a finalized order be found again, and its certificate be valid from an hour ago.
func finalizing(store *db.MemoryStore, front http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id, found := strings.CutPrefix(r.URL.Path, "/finalize-order/"); found {
			w.Header().Set("Location", "https://"+r.Host+"/my-order/"+id)
			if order := store.GetOrderByID(id); order != nil {
				order.Lock()
				order.NotBefore = time.Now().Add(-time.Hour).Format(time.RFC3339)
				order.Unlock()
			}
		}
		front.ServeHTTP(w, r)
	})
}

func main() {
	listen := flag.String("listen", "127.0.0.1:14000", "where ACME is spoken")
	admin := flag.String("admin", "127.0.0.1:15000", "where the admin endpoint listens, by HTTP")
	dns := flag.String("dns", "127.0.0.1:8053", "where the DNS server listens")
	certificate := flag.String("certificate", "", "file with the server's certificate")
	key := flag.String("key", "", "file with its key")
	flag.Parse()

	for name, value := range map[string]string{"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0", "PEBBLE_AUTHZREUSE": "0"} {
		os.Setenv(name, value)
	}
	logger := log.New(os.Stdout, "", log.LstdFlags)
	records, err := challtestsrv.New(challtestsrv.Config{DNSAddrs: []string{*dns}, Log: logger})
	if err != nil {
		log.Fatal(err)
	}
	go records.Run()

	store := db.NewMemoryStore()
	authority := ca.New(logger, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "the only one"}})
	checks := va.New(logger, 5002, 5001, false, *dns, store)
	front := wfe.New(logger, store, checks, authority, []string{"pebble.letsencrypt.org"}, false, false, 1, 1)

	own := http.NewServeMux()
	own.Handle("/", front.ManagementHandler())
	own.HandleFunc("POST /set-txt", func(w http.ResponseWriter, r *http.Request) {
		var record struct{ Host, Value string }
		if err := json.NewDecoder(r.Body).Decode(&record); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		records.AddDNSTXTRecord(record.Host, record.Value)
	})
	go func() { log.Fatal(http.ListenAndServe(*admin, own)) }()
	log.Fatal(http.ListenAndServeTLS(*listen, *certificate, *key, finalizing(store, front.Handler())))
}
