package main

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"tailscale.com/net/tsaddr"
)

// Client is an OAuth client, or with Subject a federated identity that presents a JWT instead of a secret.
type Client struct {
	ID     string   `json:"id"`
	Secret string   `json:"secret,omitempty"`
	Scopes []string `json:"scopes"`
	// Tags that the client owns: those that its keys, devices and Services may have.
	Tags []string `json:"tags"`
	// Of a federated identity: what the JWT must say, and the PEM text of the public key that signed it.
	Issuer    string `json:"issuer,omitempty"`
	Subject   string `json:"subject,omitempty"`
	Audience  string `json:"audience,omitempty"`
	PublicKey string `json:"publicKey,omitempty"`
	// ExpiresIn is the life of its tokens in seconds; 0 means 3600.
	ExpiresIn int `json:"expiresIn,omitempty"`
}

// Key is an auth key with everything that ever happened to it.
type Key struct {
	ID            string    `json:"id"`
	Description   string    `json:"description"`
	Client        string    `json:"client"`
	Tags          []string  `json:"tags"`
	Reusable      bool      `json:"reusable"`
	Ephemeral     bool      `json:"ephemeral"`
	Preauthorized bool      `json:"preauthorized"`
	Created       time.Time `json:"created"`
	Expires       time.Time `json:"expires"`
	// Revoked is zero until the key is deleted.
	Revoked time.Time `json:"revoked,omitzero"`
	// Devices that registered with it, by nodeId.
	Devices []string `json:"devices"`
	secret  string
}

func (k *Key) spent() bool { return !k.Reusable && len(k.Devices) > 0 }

func (k *Key) invalid(now time.Time) bool {
	return k.spent() || !k.Revoked.IsZero() || now.After(k.Expires)
}

// Device is a device of the tailnet; deleted ones stay, for assertions.
type Device struct {
	NodeID        string       `json:"nodeId"`
	ID            string       `json:"id"`
	Hostname      string       `json:"hostname"`
	Name          string       `json:"name"`
	Addresses     []netip.Addr `json:"addresses"`
	Tags          []string     `json:"tags"`
	Key           string       `json:"key"`
	Ephemeral     bool         `json:"ephemeral"`
	Authorized    bool         `json:"authorized"`
	Created       time.Time    `json:"created"`
	LastSeen      time.Time    `json:"lastSeen"`
	Connected     bool         `json:"connected"`
	Played        bool         `json:"played"`
	Deleted       time.Time    `json:"deleted,omitzero"`
	DeletedBy     string       `json:"deletedBy,omitempty"`
	Routes        []string     `json:"advertisedRoutes"`
	EnabledRoutes []string     `json:"enabledRoutes"`
	NodeKey       string       `json:"nodeKey,omitempty"`
	MachineKey    string       `json:"machineKey,omitempty"`
	// Serves has the Tailscale Services of its configuration, and whether it advertises them.
	Serves map[string]bool `json:"serves,omitempty"`
	// Funnel is whether it asks for connections from the Internet.
	Funnel bool `json:"funnel,omitempty"`
	// The hash of its Services as it told it, and that of Serves; asked is whether it is being asked for them.
	servicesHash, servesHash string
	asked                    bool
	named                    bool
	number                   int
}

// Rejection is a registration that was refused.
type Rejection struct {
	Hostname string    `json:"hostname"`
	Key      string    `json:"key,omitempty"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
}

// Tailnet is all state of one tailnet. Its methods lock mu, except those that are called ...Locked.
type Tailnet struct {
	domain  string
	control *Control

	mu         sync.Mutex
	clients    map[string]Client
	tokens     map[string]token
	keys       []*Key
	devices    []*Device
	services   map[string]*Service
	serviceIPs int
	rejections []Rejection
	faults     []*Fault
	taken      map[string]int
	limit      limit
	requests   []Request
	counts     map[string]int
}

func newTailnet(domain string) *Tailnet {
	return &Tailnet{
		domain: domain, clients: map[string]Client{}, tokens: map[string]token{}, services: map[string]*Service{},
		taken: map[string]int{}, counts: map[string]int{},
	}
}

func random(length int) string {
	bytes := make([]byte, length)
	rand.Read(bytes)
	return base32.StdEncoding.EncodeToString(bytes)[:length]
}

var tagForm = regexp.MustCompile(`^tag:[a-zA-Z][a-zA-Z0-9-]*$`)

func (t *Tailnet) addClient(client Client) error {
	switch {
	case client.ID == "":
		return errors.New("a client has no id")
	case (client.Secret == "") == (client.Subject == ""):
		return fmt.Errorf("client %q needs either a secret or a subject", client.ID)
	case client.Subject != "" && (client.Issuer == "" || client.Audience == "" || client.PublicKey == ""):
		return fmt.Errorf("federated client %q needs issuer, audience and publicKey", client.ID)
	}
	for _, tag := range client.Tags {
		if !tagForm.MatchString(tag) {
			return fmt.Errorf("client %q: found tag %q, expected tag:NAME", client.ID, tag)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clients[client.ID] = client
	return nil
}

// joining is what a device says when it registers.
type joining struct {
	hostname, authKey   string
	nodeKey, machineKey string
	// old is the device whose place this one takes because the same machine logs in again; nil for a new device.
	old    *Device
	tags   []string // instead of an auth key: the device has joined before anybody looked
	played bool
}

// join registers a device with an auth key, or says why not. The key is spent in the same step.
func (t *Tailnet) join(who joining) (*Device, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	key, err := t.usableKeyLocked(who.authKey, now)
	if len(who.tags) > 0 {
		key, err = &Key{Tags: who.tags, Preauthorized: true}, nil
	}
	if err != nil {
		t.rejections = append(t.rejections, Rejection{Hostname: who.hostname, Key: idOf(key), Reason: err.Error(), At: now})
		return nil, err
	}
	device := who.old
	if device == nil {
		device = t.newDeviceLocked(now)
	}
	device.Key, device.Tags, device.Ephemeral, device.Authorized = key.ID, slices.Clone(key.Tags), key.Ephemeral, key.Preauthorized
	device.NodeKey, device.MachineKey, device.LastSeen, device.Played = who.nodeKey, who.machineKey, now, who.played
	t.renameLocked(device, who.hostname)
	key.Devices = append(key.Devices, device.NodeID)
	return device, nil
}

func idOf(key *Key) string {
	if key == nil {
		return ""
	}
	return key.ID
}

func (t *Tailnet) usableKeyLocked(secret string, now time.Time) (*Key, error) {
	index := slices.IndexFunc(t.keys, func(key *Key) bool { return key.secret == secret })
	if index < 0 {
		return nil, errors.New("invalid key: API key does not exist")
	}
	key := t.keys[index]
	switch {
	case !key.Revoked.IsZero():
		return key, fmt.Errorf("invalid key: API key %s is revoked", key.ID)
	case now.After(key.Expires):
		return key, fmt.Errorf("invalid key: API key %s is expired", key.ID)
	case key.spent():
		return key, fmt.Errorf("invalid key: API key %s is already used", key.ID)
	}
	return key, nil
}

// Numbers start at 1,000 and are never used again, nor are the addresses made from them.
func (t *Tailnet) newDeviceLocked(now time.Time) *Device {
	number := 1000 + len(t.devices)
	v4 := netip.AddrFrom4([4]byte{100, 64, byte(number >> 8), byte(number)})
	device := &Device{
		NodeID: fmt.Sprintf("n%04xCNTRL", number), ID: fmt.Sprint(number), number: number,
		Addresses: []netip.Addr{v4, tsaddr.Tailscale4To6(v4)}, Created: now,
	}
	t.devices = append(t.devices, device)
	return device
}

var hostnameForm = regexp.MustCompile(`[^a-z0-9-]+`)

// renameLocked gives the device the first free of NAME, NAME-1, NAME-2… as its name, like the real control server.
func (t *Tailnet) renameLocked(device *Device, hostname string) {
	if device.Hostname == hostname && device.Name != "" || device.named {
		device.Hostname = hostname
		return
	}
	device.Hostname = hostname
	label := strings.Trim(hostnameForm.ReplaceAllString(strings.ToLower(hostname), "-"), "-")
	for try := 0; ; try++ {
		name := label + "." + t.domain
		if try > 0 {
			name = fmt.Sprintf("%s-%d.%s", label, try, t.domain)
		}
		if !slices.ContainsFunc(t.devices, func(other *Device) bool {
			return other != device && other.Deleted.IsZero() && other.Name == name
		}) {
			device.Name = name
			return
		}
	}
}

// deviceLocked finds a device that is there by either of its ids.
func (t *Tailnet) deviceLocked(id string) *Device {
	return t.findLocked(func(device *Device) bool { return device.NodeID == id || device.ID == id })
}

func (t *Tailnet) findLocked(matches func(*Device) bool) *Device {
	for _, device := range t.devices {
		if device.Deleted.IsZero() && matches(device) {
			return device
		}
	}
	return nil
}
