package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// Service is a Tailscale Service.
type Service struct {
	Name        string            `json:"name"`
	Addrs       []string          `json:"addrs"`
	Comment     string            `json:"comment,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Ports       []string          `json:"ports,omitempty"`
	Tags        []string          `json:"tags,omitempty"`
}

var portForm = regexp.MustCompile(`^(tcp|udp):[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?$|^do-not-validate$`)

func (t *Tailnet) listServices(*http.Request, caller) (any, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := []Service{}
	for _, name := range slices.Sorted(maps.Keys(t.services)) {
		list = append(list, *t.services[name])
	}
	return map[string]any{"vipServices": list}, nil
}

// onService runs DO with the Service that the path names.
func (t *Tailnet) onService(r *http.Request, do func(*Service) any) (any, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	service, found := t.services[r.PathValue("name")]
	if !found {
		return nil, refuse(404, "service %q not found", r.PathValue("name"))
	}
	return do(service), nil
}

func (t *Tailnet) getService(r *http.Request, _ caller) (any, error) {
	return t.onService(r, func(service *Service) any { return *service })
}

func (s *Service) check(name string, client caller) error {
	label, found := strings.CutPrefix(s.Name, "svc:")
	if s.Name != name || !found || !labelForm.MatchString(label) {
		return refuse(400, "found name %q, expected %q, of the form svc:LABEL", s.Name, name)
	}
	for _, port := range s.Ports {
		if !portForm.MatchString(port) {
			return refuse(400, "found port %q, expected tcp:443, udp:53 or do-not-validate", port)
		}
	}
	if len(s.Tags) > 0 {
		return client.mayTag(s.Tags)
	}
	return nil
}

// putService makes or replaces a Service. A new one gets its addresses here; a known one must be sent with those that it has.
func (t *Tailnet) putService(r *http.Request, client caller) (any, error) {
	var service Service
	if err := body(r, &service); err != nil {
		return nil, err
	}
	if err := service.check(r.PathValue("name"), client); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	known, found := t.services[service.Name]
	switch {
	case found && !slices.Equal(known.Addrs, service.Addrs):
		return nil, refuse(400, "found addrs %v, expected %v, which service %q has", service.Addrs, known.Addrs, service.Name)
	case !found && len(service.Addrs) > 1:
		return nil, refuse(400, "found addrs %v, expected none or one IPv4 address for a new service", service.Addrs)
	case !found:
		if err := t.addressesLocked(&service); err != nil {
			return nil, err
		}
	}
	t.services[service.Name] = &service
	return service, nil
}

func (t *Tailnet) addressesLocked(service *Service) error {
	t.serviceIPs++
	v4 := fmt.Sprintf("100.100.%d.%d", t.serviceIPs>>8, t.serviceIPs&0xff)
	if len(service.Addrs) == 1 {
		wanted, err := netip.ParseAddr(service.Addrs[0])
		taken := slices.ContainsFunc(slices.Collect(maps.Values(t.services)), func(other *Service) bool {
			return other.Addrs[0] == wanted.String()
		})
		if err != nil || !wanted.Is4() || taken {
			return refuse(400, "found address %q, expected a free IPv4 address", service.Addrs[0])
		}
		v4 = wanted.String()
	}
	service.Addrs = []string{v4, fmt.Sprintf("fd7a:115c:a1e0::%x", t.serviceIPs)}
	return nil
}

func (t *Tailnet) deleteService(r *http.Request, _ caller) (any, error) {
	return t.onService(r, func(service *Service) any {
		delete(t.services, service.Name)
		return none
	})
}
