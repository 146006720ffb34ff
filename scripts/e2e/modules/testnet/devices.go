package main

import (
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
)

// deviceAnswer is what the API tells of a device.
type deviceAnswer struct {
	Addresses          []netip.Addr `json:"addresses"`
	ID                 string       `json:"id"`
	NodeID             string       `json:"nodeId"`
	User               string       `json:"user"`
	Name               string       `json:"name"`
	Hostname           string       `json:"hostname"`
	OS                 string       `json:"os"`
	Created            time.Time    `json:"created"`
	LastSeen           time.Time    `json:"lastSeen"`
	ConnectedToControl bool         `json:"connectedToControl"`
	KeyExpiryDisabled  bool         `json:"keyExpiryDisabled"`
	Expires            time.Time    `json:"expires"`
	Authorized         bool         `json:"authorized"`
	IsExternal         bool         `json:"isExternal"`
	IsEphemeral        bool         `json:"isEphemeral"`
	MachineKey         string       `json:"machineKey"`
	NodeKey            string       `json:"nodeKey"`
	Tags               []string     `json:"tags,omitempty"`
	AdvertisedRoutes   []string     `json:"advertisedRoutes,omitempty"`
	EnabledRoutes      []string     `json:"enabledRoutes,omitempty"`
}

func (d *Device) told(fields string) deviceAnswer {
	told := deviceAnswer{
		Addresses: d.Addresses, ID: d.ID, NodeID: d.NodeID, User: "tagged-devices", Name: d.Name, Hostname: d.Hostname,
		OS: "linux", Created: d.Created, LastSeen: d.LastSeen.UTC().Truncate(time.Second), ConnectedToControl: d.Connected,
		KeyExpiryDisabled: true, Expires: d.Created.Add(keyLifeLimit * 2), Authorized: d.Authorized,
		IsEphemeral: d.Ephemeral, MachineKey: d.MachineKey, NodeKey: d.NodeKey, Tags: d.Tags,
	}
	if fields == "all" {
		told.AdvertisedRoutes, told.EnabledRoutes = d.Routes, d.EnabledRoutes
	}
	return told
}

func (t *Tailnet) listDevices(r *http.Request, _ caller) (any, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := []deviceAnswer{}
	for _, device := range t.devices {
		if device.Deleted.IsZero() {
			list = append(list, device.told(r.FormValue("fields")))
		}
	}
	return map[string]any{"devices": list}, nil
}

// onDevice runs a change of the device that the path names, and then tells the control server of it.
func (t *Tailnet) onDevice(r *http.Request, do func(*Device) (any, error)) (any, error) {
	t.mu.Lock()
	device := t.deviceLocked(r.PathValue("id"))
	if device == nil {
		t.mu.Unlock()
		return nil, refuse(404, "no device %q", r.PathValue("id"))
	}
	value, err := do(device)
	t.mu.Unlock()
	if t.control != nil && r.Method != http.MethodGet {
		t.control.reconcile()
	}
	return value, err
}

func (t *Tailnet) getDevice(r *http.Request, _ caller) (any, error) {
	return t.onDevice(r, func(device *Device) (any, error) { return device.told(r.FormValue("fields")), nil })
}

func (t *Tailnet) deleteDevice(r *http.Request, client caller) (any, error) {
	return t.onDevice(r, func(device *Device) (any, error) {
		// When it was asked for: a slow answer says nothing about what the client knew.
		device.Deleted, device.DeletedBy, device.Connected = arrival(r), client.ID, false
		return none, nil
	})
}

func (t *Tailnet) setTags(r *http.Request, client caller) (any, error) {
	var request struct {
		Tags []string `json:"tags"`
	}
	if err := body(r, &request); err != nil {
		return nil, err
	}
	if err := client.mayTag(request.Tags); err != nil {
		return nil, err
	}
	return t.onDevice(r, func(device *Device) (any, error) {
		device.Tags = request.Tags
		return none, nil
	})
}

var labelForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

func (t *Tailnet) setName(r *http.Request, _ caller) (any, error) {
	var request struct {
		Name string `json:"name"`
	}
	if err := body(r, &request); err != nil {
		return nil, err
	}
	label := strings.TrimSuffix(request.Name, "."+t.domain)
	if label != "" && !labelForm.MatchString(label) {
		return nil, refuse(400, "found name %q, expected a DNS label", request.Name)
	}
	return t.onDevice(r, func(device *Device) (any, error) {
		if label == "" {
			device.named, device.Name = false, ""
			t.renameLocked(device, device.Hostname)
			return none, nil
		}
		name := label + "." + t.domain
		if slices.ContainsFunc(t.devices, func(other *Device) bool {
			return other != device && other.Deleted.IsZero() && other.Name == name
		}) {
			return nil, refuse(409, "name %q is taken", name)
		}
		device.named, device.Name = true, name
		return none, nil
	})
}

func (d *Device) routes() any {
	return map[string][]string{"advertisedRoutes": d.Routes, "enabledRoutes": d.EnabledRoutes}
}

func (t *Tailnet) getRoutes(r *http.Request, _ caller) (any, error) {
	return t.onDevice(r, func(device *Device) (any, error) { return device.routes(), nil })
}

func (t *Tailnet) setRoutes(r *http.Request, _ caller) (any, error) {
	var request struct {
		Routes []string `json:"routes"`
	}
	if err := body(r, &request); err != nil {
		return nil, err
	}
	for _, route := range request.Routes {
		if prefix, err := netip.ParsePrefix(route); err != nil || prefix.Masked() != prefix {
			return nil, refuse(400, "found route %q, expected a prefix without host bits", route)
		}
	}
	return t.onDevice(r, func(device *Device) (any, error) {
		device.EnabledRoutes = request.Routes
		return device.routes(), nil
	})
}
