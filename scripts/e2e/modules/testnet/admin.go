package main

import (
	"net/http"
	"time"

	"tailscale.com/tailcfg"
)

// keyState is a key with what follows from its history.
type keyState struct {
	*Key
	Spent   bool `json:"spent"`
	Invalid bool `json:"invalid"`
}

type state struct {
	Keys       []keyState          `json:"keys"`
	Devices    []*Device           `json:"devices"`
	Services   map[string]*Service `json:"services"`
	Rejections []Rejection         `json:"rejections"`
	Faults     []*Fault            `json:"faults"`
	// Taken holds how many faults of each API and kind have happened: "tailscale/429", "kubernetes/410", "kubernetes watch/410".
	Taken map[string]int `json:"taken"`
	// Requests are the last ones; Counts holds how many there were of each method and status.
	Requests []Request      `json:"requests"`
	Counts   map[string]int `json:"counts"`
}

func (t *Tailnet) serveState(w http.ResponseWriter, _ *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	told := state{
		Keys: []keyState{}, Devices: append([]*Device{}, t.devices...), Services: t.services,
		Rejections: append([]Rejection{}, t.rejections...), Faults: append([]*Fault{}, t.faults...), Taken: t.taken,
		Requests: append([]Request{}, t.requests...), Counts: t.counts,
	}
	for _, key := range t.keys {
		told.Keys = append(told.Keys, keyState{key, key.spent(), key.invalid(time.Now())})
	}
	answer(w, told, nil)
}

// adminHandler is what tests steer with; it asks for no credentials.
func (t *Tailnet) adminHandler() http.Handler {
	mux := http.NewServeMux()
	serve := func(pattern string, do func(*http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			value, err := do(r)
			answer(w, value, err)
		})
	}
	mux.HandleFunc("GET /admin/state", t.serveState)
	serve("POST /admin/clients", func(r *http.Request) (any, error) {
		var client Client
		if err := body(r, &client); err != nil {
			return nil, err
		}
		if err := t.addClient(client); err != nil {
			return nil, refuse(400, "%v", err)
		}
		return none, nil
	})
	serve("DELETE /admin/tokens", func(*http.Request) (any, error) {
		t.mu.Lock()
		defer t.mu.Unlock()
		clear(t.tokens)
		return none, nil
	})
	serve("POST /admin/faults", t.addFault)
	serve("DELETE /admin/faults", func(*http.Request) (any, error) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.faults = nil
		return none, nil
	})
	serve("POST /admin/limit", t.setLimit)
	serve("POST /admin/grants", t.setGrants)
	serve("POST /admin/devices", t.playJoin)
	serve("POST /admin/devices/{id}", t.playChange)
	serve("DELETE /admin/devices/{id}", func(r *http.Request) (any, error) {
		return t.deleteDevice(r, caller{Client{ID: "admin"}})
	})
	return mux
}

func (t *Tailnet) addFault(r *http.Request) (any, error) {
	var fault Fault
	if err := body(r, &fault); err != nil {
		return nil, err
	}
	if err := fault.check(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = append(t.faults, &fault)
	return none, nil
}

// setGrants gives every device these capabilities towards every other, and no others: "app" of a grant from "*" to "*".
func (t *Tailnet) setGrants(r *http.Request) (any, error) {
	var grants tailcfg.PeerCapMap
	if err := body(r, &grants); err != nil {
		return nil, err
	}
	if t.control == nil {
		return nil, refuse(409, "there is no control server")
	}
	t.control.server.SetGlobalAppCaps(grants)
	return none, nil
}

// playJoin registers a device without a tailscaled, under the same rules; with tags instead of a key it has joined before.
func (t *Tailnet) playJoin(r *http.Request) (any, error) {
	var request struct {
		Hostname string   `json:"hostname"`
		Key      string   `json:"key"`
		Tags     []string `json:"tags"`
	}
	if err := body(r, &request); err != nil {
		return nil, err
	}
	if request.Hostname == "" {
		return nil, refuse(400, "hostname is missing")
	}
	if (request.Key == "") == (len(request.Tags) == 0) {
		return nil, refuse(400, "expected either key or tags")
	}
	device, err := t.join(joining{
		hostname: request.Hostname, authKey: request.Key, nodeKey: "nodekey:" + random(16), machineKey: "mkey:" + random(16),
		tags: request.Tags, played: true,
	})
	if err != nil {
		return nil, refuse(403, "%v", err)
	}
	return device, nil
}

// playChange sets what a played device would have told the control server, and any device's tags: without any, it is a person's.
func (t *Tailnet) playChange(r *http.Request) (any, error) {
	var change struct {
		Connected *bool     `json:"connected"`
		LastSeen  time.Time `json:"lastSeen"`
		Tags      *[]string `json:"tags"`
	}
	if err := body(r, &change); err != nil {
		return nil, err
	}
	return t.onDevice(r, func(device *Device) (any, error) {
		if !device.Played && (change.Connected != nil || !change.LastSeen.IsZero()) {
			return nil, refuse(409, "device %q is a real one", device.NodeID)
		}
		if change.Tags != nil {
			device.Tags = *change.Tags
		}
		if change.Connected != nil {
			device.Connected = *change.Connected
		}
		if !change.LastSeen.IsZero() {
			device.LastSeen = change.LastSeen
		}
		return device, nil
	})
}
