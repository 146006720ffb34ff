package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"tailscale.com/tailcfg"
)

// setDNS publishes the record by which a node proves to a certificate authority that a name is its own: in the DNS server of
// the one that the test network has.
func (c *Control) setDNS(w http.ResponseWriter, r *http.Request) {
	var request tailcfg.SetDNSRequest
	if err := readBody(r, &request); err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	name, isChallenge := strings.CutPrefix(request.Name, "_acme-challenge.")
	if c.records == "" || request.Type != "TXT" || !isChallenge || !c.mayCertify(request.NodeKey.String(), name) {
		http.Error(w, fmt.Sprintf("found record %s %q, expected TXT of _acme-challenge of a name of the node", request.Type, request.Name), 403)
		return
	}
	record, err := json.Marshal(map[string]string{"host": request.Name + ".", "value": request.Value})
	if err == nil {
		var answer *http.Response
		if answer, err = http.Post(c.records+"/set-txt", "application/json", bytes.NewReader(record)); err == nil {
			answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				err = fmt.Errorf("%s says %s", c.records, answer.Status)
			}
		}
	}
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	json.NewEncoder(w).Encode(tailcfg.SetDNSResponse{})
}

func (c *Control) mayCertify(nodeKey, name string) bool {
	c.tailnet.mu.Lock()
	defer c.tailnet.mu.Unlock()
	device := c.tailnet.findLocked(func(device *Device) bool { return device.NodeKey == nodeKey })
	return device != nil && slices.Contains(c.certDomainsLocked(device), name)
}
