package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"slices"
	"sync"
	"time"
	"unsafe"

	"tailscale.com/derp/derpserver"
	"tailscale.com/net/stunserver"
	"tailscale.com/tailcfg"
	"tailscale.com/tstest/integration/testcontrol"
	"tailscale.com/types/key"
	"tailscale.com/types/logger"
)

// Control is Tailscale's test control server, to which every key is good and every device for ever. What it lacks is put in front
// of two of its handlers, behind the encryption: registration asks the tailnet, a deleted device is told that it is logged out, and
// the map of every other one is completed with the Tailscale Services. Its nodes get the ids, names and tags that the API tells of.
type Control struct {
	tailnet *Tailnet
	server  *testcontrol.Server
	machine http.Handler
	// The server's own, which it does not export.
	nodesMu *sync.Mutex
	nodes   *map[key.NodePublic]*tailcfg.Node
	// joinMu lets devices register one by one.
	joinMu sync.Mutex
	// Under the tailnet's lock: what ends a node's long poll, how many it has open, and the routes that the server was told.
	streams map[key.NodePublic]context.CancelFunc
	polls   map[key.NodePublic]int
	routed  map[key.NodePublic][]string
	// hosting is who hosts which Tailscale Service, under the tailnet's lock.
	hosting []hosting
	// records is the admin URL of pebble, which has the DNS server for challenges; without it, there are none.
	records string
	// anchor is a peer that every node has, and that is never there: a map without peers means "as before", so that without it
	// a node would keep the last one that it lost.
	anchor *tailcfg.Node
}

// unexported is the field of that name; the version of the module is pinned, and a field that is gone panics at start.
func unexported[T any](server *testcontrol.Server, name string) *T {
	field := reflect.ValueOf(server).Elem().FieldByName(name)
	if field.Type() != reflect.TypeFor[T]() {
		log.Fatalf("testcontrol.Server.%s is a %v", name, field.Type())
	}
	return (*T)(unsafe.Pointer(field.UnsafeAddr()))
}

const userID = tailcfg.UserID(123)

func newControl(tailnet *Tailnet, listen *net.TCPAddr, records string) *Control {
	quiet := func(string, ...any) {}
	server := &testcontrol.Server{
		Logf: quiet, MagicDNSDomain: tailnet.domain, AllNodesSameUser: true,
		ExplicitBaseURL: "http://" + listen.String(), DERPMap: startRelay(listen.IP.String(), quiet),
		DNSConfig: &tailcfg.DNSConfig{Proxied: true, Domains: []string{tailnet.domain}},
	}
	// Its routes are laid at the first request.
	server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/generate_204", nil))
	mux := *unexported[*http.ServeMux](server, "mux")
	machine, _ := mux.Handler(httptest.NewRequest("POST", "/machine/", nil))
	c := &Control{
		tailnet: tailnet, server: server, machine: machine, nodesMu: unexported[sync.Mutex](server, "mu"),
		nodes:   unexported[map[key.NodePublic]*tailcfg.Node](server, "nodes"),
		streams: map[key.NodePublic]context.CancelFunc{}, polls: map[key.NodePublic]int{}, routed: map[key.NodePublic][]string{},
		records: records, anchor: newAnchor(tailnet.domain),
	}
	*c.nodes = map[key.NodePublic]*tailcfg.Node{c.anchor.Key: c.anchor}
	mux.HandleFunc("POST /machine/register", c.register)
	mux.HandleFunc("POST /machine/map", c.poll)
	mux.HandleFunc("POST /machine/set-dns", c.setDNS)
	// The server ends the whole process at paths that it does not know.
	for _, path := range []string{"/machine/feature/query", "/machine/audit-log", "/machine/set-device-attr"} {
		mux.HandleFunc(path, http.NotFound)
	}
	go func() {
		for range time.Tick(time.Second) {
			c.reconcile()
		}
	}()
	return c
}

func newAnchor(domain string) *tailcfg.Node {
	addresses := []netip.Prefix{netip.MustParsePrefix("100.64.0.1/32")}
	return &tailcfg.Node{
		ID: 1<<31 - 1, StableID: "nanchorCNTRL", Name: "anchor." + domain + ".", User: userID, Key: key.NewNode().Public(),
		Machine: key.NewMachine().Public(), DiscoKey: key.NewDisco().Public(), MachineAuthorized: true,
		Addresses: addresses, AllowedIPs: addresses, Hostinfo: (&tailcfg.Hostinfo{Hostname: "anchor"}).View(),
	}
}

func (c *Control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if path := r.URL.Path; path != "/key" && path != "/ts2021" && path != "/generate_204" {
		http.NotFound(w, r)
		return
	}
	c.server.ServeHTTP(w, r)
}

func startRelay(ip string, logf logger.Logf) *tailcfg.DERPMap {
	relay := httptest.NewUnstartedServer(derpserver.Handler(derpserver.New(key.NewNode(), logf)))
	relay.Listener.Close()
	relay.Listener = listen(net.JoinHostPort(ip, "0"))
	relay.Config.ErrorLog = log.New(io.Discard, "", 0)
	relay.Config.TLSNextProto = nil
	relay.StartTLS()
	stun := stunserver.New(context.Background())
	if err := stun.Listen(net.JoinHostPort(ip, "0")); err != nil {
		log.Fatal(err)
	}
	go stun.Serve()
	return &tailcfg.DERPMap{OmitDefaultRegions: true, Regions: map[int]*tailcfg.DERPRegion{1: {
		RegionID: 1, RegionCode: "lab", Nodes: []*tailcfg.DERPNode{{
			Name: "1", RegionID: 1, HostName: ip, IPv4: ip, IPv6: "none", InsecureForTests: true,
			DERPPort: relay.Listener.Addr().(*net.TCPAddr).Port, STUNPort: stun.LocalAddr().(*net.UDPAddr).Port,
		}},
	}}}
}

// readBody decodes what a node sent and puts it back for the server.
func readBody(r *http.Request, into any) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return json.Unmarshal(text, into)
}

// register lets the server answer once the device is ours: known by its node key, or admitted with an auth key.
func (c *Control) register(w http.ResponseWriter, r *http.Request) {
	var request tailcfg.RegisterRequest
	if err := readBody(r, &request); err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	if request.Followup != "" {
		// Waits for a person who logs in, and there is none.
		<-r.Context().Done()
		return
	}
	c.joinMu.Lock()
	defer c.joinMu.Unlock()
	device, refusal := c.admit(&request)
	if refusal != nil {
		json.NewEncoder(w).Encode(refusal)
		return
	}
	answered := httptest.NewRecorder()
	c.machine.ServeHTTP(answered, r)
	c.settle(device, request.NodeKey)
	if !request.Expiry.IsZero() && request.Expiry.Before(time.Now()) {
		c.loggedOut(device)
	}
	w.WriteHeader(answered.Code)
	w.Write(answered.Body.Bytes())
}

// admit returns the device that the node is from now on, or the answer that refuses it.
func (c *Control) admit(request *tailcfg.RegisterRequest) (*Device, *tailcfg.RegisterResponse) {
	nodeKey := request.NodeKey.String()
	if device := c.device(nodeKey); device != nil {
		return device, nil
	}
	if request.Auth == nil || request.Auth.AuthKey == "" {
		return nil, &tailcfg.RegisterResponse{AuthURL: c.server.BaseURL() + "/a/" + random(12)}
	}
	who := joining{hostname: request.Hostinfo.Hostname, authKey: request.Auth.AuthKey, nodeKey: nodeKey}
	if !request.OldNodeKey.IsZero() {
		who.old = c.device(request.OldNodeKey.String())
	}
	device, err := c.tailnet.join(who)
	if err != nil {
		return nil, &tailcfg.RegisterResponse{Error: err.Error()}
	}
	return device, nil
}

func (c *Control) device(nodeKey string) *Device {
	c.tailnet.mu.Lock()
	defer c.tailnet.mu.Unlock()
	return c.tailnet.findLocked(func(device *Device) bool { return device.NodeKey == nodeKey })
}

// settle gives the node that the server made our id and addresses. The server numbers from 1, so that the two never meet.
func (c *Control) settle(device *Device, nodeKey key.NodePublic) {
	c.tailnet.mu.Lock()
	c.nodesMu.Lock()
	node := (*c.nodes)[nodeKey]
	addresses := []netip.Prefix{netip.PrefixFrom(device.Addresses[0], 32), netip.PrefixFrom(device.Addresses[1], 128)}
	node.ID, node.StableID = tailcfg.NodeID(device.number), tailcfg.StableNodeID(device.NodeID)
	node.Addresses, node.AllowedIPs = addresses, addresses
	device.MachineKey = node.Machine.String()
	c.nodesMu.Unlock()
	c.tailnet.mu.Unlock()
	c.reconcile()
}

func (c *Control) loggedOut(device *Device) {
	c.tailnet.mu.Lock()
	if device.Ephemeral {
		device.Deleted, device.DeletedBy = time.Now().UTC(), "logout"
	}
	c.tailnet.mu.Unlock()
	c.reconcile()
}

// reconcile makes the server's nodes what the tailnet's devices are, and tells all nodes of it if anything changed. A node's own
// message can undo a change, since the server copies, alters and stores: thus it runs every second too.
func (c *Control) reconcile() {
	routes := map[key.NodePublic][]netip.Prefix{}
	c.tailnet.mu.Lock()
	c.nodesMu.Lock()
	changed := c.spreadLocked()
	for nodeKey, node := range *c.nodes {
		if node == c.anchor {
			continue
		}
		device := c.tailnet.findLocked(func(device *Device) bool { return device.NodeKey == nodeKey.String() })
		if device == nil {
			delete(*c.nodes, nodeKey)
			if end := c.streams[nodeKey]; end != nil {
				end()
			}
			changed = true
			continue
		}
		if node.Name != device.Name+"." || !slices.Equal(node.Tags, device.Tags) || node.Online == nil || *node.Online != device.Connected {
			connected := device.Connected
			node.Name, node.Tags, node.Online = device.Name+".", slices.Clone(device.Tags), &connected
			changed = true
		}
		c.askLocked(nodeKey, device)
		if !slices.Equal(c.routed[nodeKey], device.EnabledRoutes) {
			c.routed[nodeKey] = slices.Clone(device.EnabledRoutes)
			routes[nodeKey] = prefixes(device.EnabledRoutes)
		}
	}
	c.nodesMu.Unlock()
	c.tailnet.mu.Unlock()
	for nodeKey, list := range routes {
		c.server.SetSubnetRoutes(nodeKey, list)
		changed = true
	}
	if changed {
		// No records: it is the shortest of the calls that send every node its map.
		c.server.AddDNSRecords()
	}
}

func prefixes(routes []string) []netip.Prefix {
	var list []netip.Prefix
	for _, route := range routes {
		list = append(list, netip.MustParsePrefix(route))
	}
	return list
}

// poll is a node's long poll for its map. Before the server answers, the device learns what the node says of itself.
func (c *Control) poll(w http.ResponseWriter, r *http.Request) {
	var request tailcfg.MapRequest
	if err := readBody(r, &request); err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	if c.device(request.NodeKey.String()) == nil {
		c.expel(w, r, &request)
		return
	}
	streaming := request.Stream && !request.ReadOnly
	c.heard(&request, streaming)
	w = &mapWriter{ResponseWriter: w, compressed: request.Compress != "", edit: func(told *tailcfg.MapResponse) {
		c.complete(told, request.NodeKey)
	}}
	if !streaming {
		c.machine.ServeHTTP(w, r)
		return
	}
	ctx, end := context.WithCancel(r.Context())
	defer end()
	c.tailnet.mu.Lock()
	c.streams[request.NodeKey] = end
	c.polls[request.NodeKey]++
	c.tailnet.mu.Unlock()
	c.machine.ServeHTTP(w, r.WithContext(ctx))
	c.tailnet.mu.Lock()
	defer c.tailnet.mu.Unlock()
	nodeKey := request.NodeKey.String()
	device := c.tailnet.findLocked(func(device *Device) bool { return device.NodeKey == nodeKey })
	if c.polls[request.NodeKey]--; c.polls[request.NodeKey] == 0 && device != nil {
		device.Connected, device.LastSeen = false, time.Now().UTC()
	}
}

// heard takes what a node says of itself over into its device: host name, routes, whether it asks for Funnel, and the hash of its Services.
func (c *Control) heard(request *tailcfg.MapRequest, streaming bool) {
	c.tailnet.mu.Lock()
	defer c.tailnet.mu.Unlock()
	nodeKey := request.NodeKey.String()
	device := c.tailnet.findLocked(func(device *Device) bool { return device.NodeKey == nodeKey })
	if device == nil {
		return
	}
	device.LastSeen = time.Now().UTC()
	device.Connected = device.Connected || streaming
	if info := request.Hostinfo; info != nil && !request.ReadOnly {
		device.Routes = nil
		for _, prefix := range info.RoutableIPs {
			device.Routes = append(device.Routes, prefix.String())
		}
		device.Funnel, device.servicesHash = info.IngressEnabled, info.ServicesHash
		c.tailnet.renameLocked(device, info.Hostname)
	}
}

// expel tells a node that is no device that its node key is expired, upon which it wants to log in anew.
func (c *Control) expel(w http.ResponseWriter, r *http.Request, request *tailcfg.MapRequest) {
	address := netip.MustParsePrefix("100.64.0.1/32")
	err := sendMessage(w, request.Compress != "", &tailcfg.MapResponse{Node: &tailcfg.Node{
		ID: 1, StableID: "gone", Name: "gone." + c.tailnet.domain + ".", User: userID, Key: request.NodeKey,
		MachineAuthorized: true, Addresses: []netip.Prefix{address}, AllowedIPs: []netip.Prefix{address},
		KeyExpiry: time.Now().Add(-time.Minute), Expired: true,
	}, DERPMap: c.server.DERPMap, Domain: c.tailnet.domain})
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	http.NewResponseController(w).Flush()
	if request.Stream {
		<-r.Context().Done()
	}
}
