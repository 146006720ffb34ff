package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"tailscale.com/tailcfg"
	"tailscale.com/types/key"
)

// hosting is a Tailscale Service, as the nodes are told of it: every device that names a Service may host it, as with an
// autoApprovers rule for all of them.
type hosting struct {
	service string // svc:LABEL
	addrs   []netip.Addr
	// named are the devices that have a configuration for it; those of hosts advertise it too, and are connected. Both by number.
	named, hosts []int
}

func (h *hosting) domain(tailnet string) string {
	return strings.TrimPrefix(h.service, "svc:") + "." + tailnet
}

// host is where a device reaches the Service: devices are spread over its hosts, and move when theirs is gone. 0 is nowhere, as it
// is for a host itself.
func (h *hosting) host(viewer int) int {
	if len(h.hosts) == 0 || slices.Contains(h.hosts, viewer) {
		return 0
	}
	return h.hosts[viewer%len(h.hosts)]
}

// hostingLocked is what follows of the Services and of the devices that are there.
func (t *Tailnet) hostingLocked() []hosting {
	var all []hosting
	for _, name := range slices.Sorted(maps.Keys(t.services)) {
		one := hosting{service: name}
		for _, address := range t.services[name].Addrs {
			one.addrs = append(one.addrs, netip.MustParseAddr(address))
		}
		for _, device := range t.devices {
			advertised, named := device.Serves[name]
			if named && device.Deleted.IsZero() {
				one.named = append(one.named, device.number)
				if advertised && device.Connected {
					one.hosts = append(one.hosts, device.number)
				}
			}
		}
		all = append(all, one)
	}
	return all
}

// spreadLocked works out anew who hosts what, and says whether that has changed.
func (c *Control) spreadLocked() bool {
	now := c.tailnet.hostingLocked()
	changed := !reflect.DeepEqual(now, c.hosting)
	c.hosting = now
	return changed
}

// certDomainsLocked are the names that a device may have certificates for.
func (c *Control) certDomainsLocked(device *Device) []string {
	names := []string{device.Name}
	for _, one := range c.hosting {
		if slices.Contains(one.named, device.number) {
			names = append(names, one.domain(c.tailnet.domain))
		}
	}
	return names
}

// askLocked asks a device that has changed them, by the hash that it told, for the Services of its configuration. It has to be connected.
func (c *Control) askLocked(nodeKey key.NodePublic, device *Device) {
	if device.servicesHash == device.servesHash || device.asked || !device.Connected {
		return
	}
	device.asked = true
	go func() {
		found, err := c.servicesOf(nodeKey)
		c.tailnet.mu.Lock()
		device.asked = false
		if err == nil {
			device.Serves, device.servesHash = map[string]bool{}, found.ServicesHash
			for _, service := range found.VIPServices {
				device.Serves[service.Name.String()] = service.Active
			}
		}
		c.tailnet.mu.Unlock()
		if err == nil {
			c.reconcile()
		}
	}()
}

func (c *Control) servicesOf(nodeKey key.NodePublic) (*tailcfg.C2NVIPServicesResponse, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://node/vip-services", nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.server.NodeRoundTripper(nodeKey).RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("found %s, expected 200", answer.Status)
	}
	found := &tailcfg.C2NVIPServicesResponse{}
	return found, json.NewDecoder(answer.Body).Decode(found)
}

// complete adds to a message for a node what the server knows nothing of: the Services' names and addresses, and its own domains.
func (c *Control) complete(told *tailcfg.MapResponse, nodeKey key.NodePublic) {
	if told.Node == nil {
		return
	}
	c.tailnet.mu.Lock()
	defer c.tailnet.mu.Unlock()
	device := c.tailnet.findLocked(func(device *Device) bool { return device.NodeKey == nodeKey.String() })
	if device == nil {
		return
	}
	told.DNSConfig.CertDomains = c.certDomainsLocked(device)
	own := tailcfg.ServiceIPMappings{}
	for _, one := range c.hosting {
		for _, address := range one.addrs {
			record := tailcfg.DNSRecord{Name: one.domain(c.tailnet.domain) + ".", Value: address.String()}
			told.DNSConfig.ExtraRecords = append(told.DNSConfig.ExtraRecords, record)
		}
		if slices.Contains(one.named, device.number) {
			own[tailcfg.ServiceName(one.service)] = one.addrs
		}
		host := one.host(device.number)
		for _, peer := range told.Peers {
			if peer.ID == tailcfg.NodeID(host) {
				for _, address := range one.addrs {
					peer.AllowedIPs = append(peer.AllowedIPs, netip.PrefixFrom(address, address.BitLen()))
				}
			}
		}
	}
	if len(own) > 0 {
		text, err := json.Marshal(own)
		if err != nil {
			panic(err)
		}
		if told.Node.CapMap == nil {
			told.Node.CapMap = tailcfg.NodeCapMap{}
		}
		told.Node.CapMap[tailcfg.NodeAttrServiceHost] = []tailcfg.RawMessage{tailcfg.RawMessage(text)}
	}
}
