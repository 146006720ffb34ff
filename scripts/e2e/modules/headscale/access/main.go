// Command headscale-access says who may reach what by a tailnet's policy, with Headscale's policy engine and Tailscale's packet filter.
//
//	headscale-access < CASES
//	headscale-access FILE…
//
// CASES is JSON, one value after the other: {"policy": "{…}", "devices": [{"tags": ["tag:web"], "routes": ["10.0.0.0/8"]}],
// "sources": ["alice@example.com", "tag:ci"], "probes": [{"protocol": 6, "port": 443}]}. Each source has one device. FILEs are recordings of
// Tailscale's control plane (Headscale's testdata), whose rules are judged in place of the engine's, with the same probes as CASES.
//
// For each case it prints {"case": {…}, "error": "why the policy is refused", "devices": [[[true]]], "routes": [[[[true]]]]}: for each device,
// each source and each probe whether it is let through; for each device, each of its routes, and so on, the same for an address behind it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	policy "github.com/juanfont/headscale/hscontrol/policy/v2"
	"github.com/juanfont/headscale/hscontrol/types"
	"github.com/juanfont/headscale/hscontrol/types/testcapture"
	"go4.org/netipx"
	"gorm.io/gorm"
	"tailscale.com/tailcfg"
	"tailscale.com/types/ipproto"
	"tailscale.com/wgengine/filter"
)

type device struct {
	Tags   []string `json:"tags"`
	Routes []string `json:"routes"`
}

type probe struct {
	Protocol int    `json:"protocol"`
	Port     uint16 `json:"port"`
}

type question struct {
	Policy  string   `json:"policy"`
	Devices []device `json:"devices"`
	Sources []string `json:"sources"`
	Probes  []probe  `json:"probes"`
}

type answer struct {
	Name    string       `json:"name,omitempty"`
	Case    question     `json:"case"`
	Error   string       `json:"error,omitempty"`
	Devices [][][]bool   `json:"devices"`
	Routes  [][][][]bool `json:"routes"`
}

// recordedProbes are those of recordings.
var recordedProbes = []probe{{6, 22}, {6, 80}, {6, 443}, {6, 53}, {6, 3000}, {6, 5432}, {6, 8080}, {6, 9999}, {17, 53}, {17, 443}}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// target is a device with its rules, as its tailscaled has them.
type target struct {
	addresses []netip.Addr
	routes    []netip.Prefix
	rules     []tailcfg.FilterRule
}

func (one target) filter() *filter.Filter {
	matches, err := filter.MatchesFromFilterRules(one.rules)
	check(err)
	var local netipx.IPSetBuilder
	for _, address := range one.addresses {
		local.Add(address)
	}
	for _, route := range one.routes {
		local.AddPrefix(route)
	}
	nets, err := local.IPSet()
	check(err)
	return filter.New(matches, nil, nets, nil, nil, func(string, ...any) {})
}

func pass(rules *filter.Filter, from []netip.Addr, to netip.Addr, probes []probe) []bool {
	var passed []bool
	for _, one := range probes {
		source := from[slices.IndexFunc(from, func(address netip.Addr) bool { return address.Is4() == to.Is4() })]
		passed = append(passed, rules.Check(source, to, one.Port, ipproto.Proto(one.Protocol)) == filter.Accept)
	}
	return passed
}

// behind returns an address behind a route.
func behind(route netip.Prefix) netip.Addr {
	if route == netip.MustParsePrefix("0.0.0.0/0") {
		return netip.MustParseAddr("8.8.8.8")
	}
	if route == netip.MustParsePrefix("::/0") {
		return netip.MustParseAddr("2001:4860:4860::8888")
	}
	return route.Addr().Next()
}

func (told *answer) judge(targets []target, sources [][]netip.Addr) {
	for _, one := range targets {
		rules := one.filter()
		var reached [][]bool
		for _, source := range sources {
			reached = append(reached, pass(rules, source, one.addresses[0], told.Case.Probes))
		}
		routes := [][][]bool{}
		for _, route := range one.routes {
			var reached [][]bool
			for _, source := range sources {
				reached = append(reached, pass(rules, source, behind(route), told.Case.Probes))
			}
			routes = append(routes, reached)
		}
		told.Devices, told.Routes = append(told.Devices, reached), append(told.Routes, routes)
	}
}

func addresses(number int) (netip.Addr, netip.Addr) {
	high, low := byte(number/256), byte(number%256)
	return netip.AddrFrom4([4]byte{100, 64, high, low}),
		netip.AddrFrom16([16]byte{0xfd, 0x7a, 0x11, 0x5c, 0xa1, 0xe0, 14: high, 15: low})
}

// judged asks the engine.
func judged(asked question) answer {
	told := answer{Case: asked}
	var users types.Users
	var nodes types.Nodes
	add := func(node types.Node) *types.Node {
		v4, v6 := addresses(len(nodes) + 1)
		node.ID, node.Hostname, node.IPv4, node.IPv6 = types.NodeID(len(nodes)+1), fmt.Sprint("node-", len(nodes)), &v4, &v6
		nodes = append(nodes, &node)
		return &node
	}
	var targets []target
	for _, one := range asked.Devices {
		var routes []netip.Prefix
		for _, route := range one.Routes {
			routes = append(routes, netip.MustParsePrefix(route))
		}
		node := add(types.Node{Tags: one.Tags, Hostinfo: &tailcfg.Hostinfo{RoutableIPs: routes}, ApprovedRoutes: routes})
		targets = append(targets, target{addresses: []netip.Addr{*node.IPv4, *node.IPv6}, routes: routes})
	}
	var sources [][]netip.Addr
	for _, source := range asked.Sources {
		one := types.Node{Hostinfo: &tailcfg.Hostinfo{}}
		if len(source) > 4 && source[:4] == "tag:" {
			one.Tags = []string{source}
		} else {
			user := types.User{Model: gorm.Model{ID: uint(len(users) + 1)}, Name: source, Email: source}
			users = append(users, user)
			one.User, one.UserID = &user, &user.ID
		}
		node := add(one)
		sources = append(sources, []netip.Addr{*node.IPv4, *node.IPv6})
	}
	manager, err := policy.NewPolicyManager([]byte(asked.Policy), users, nodes.ViewSlice())
	if err != nil {
		told.Error = err.Error()
		return told
	}
	for i := range targets {
		targets[i].rules, err = manager.FilterForNode(nodes[i].View())
		check(err)
	}
	told.judge(targets, sources)
	return told
}

// recorded reads what Tailscale's control plane sent to devices with tags. A source is a device with one tag that the policy has, or of a user.
func recorded(path string) answer {
	capture, err := testcapture.Read(path)
	check(err)
	told := answer{Name: capture.TestID, Case: question{Policy: capture.Input.FullPolicy, Probes: recordedProbes}}
	if capture.Error {
		told.Error = capture.Input.APIResponseBody.Message
		return told
	}
	var targets []target
	var sources [][]netip.Addr
	emails := map[string]string{}
	for _, user := range capture.Topology.Users {
		emails[user.Name] = user.Email
	}
	names := []string{}
	for name := range capture.Topology.Nodes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		node := capture.Topology.Nodes[name]
		own := []netip.Addr{netip.MustParseAddr(node.IPv4), netip.MustParseAddr(node.IPv6)}
		source := emails[node.User]
		if len(node.Tags) == 1 {
			source = node.Tags[0]
		}
		known := len(node.Tags) == 0 || strings.Contains(told.Case.Policy, strconv.Quote(source))
		if len(node.Tags) < 2 && source != "" && known && !slices.Contains(told.Case.Sources, source) {
			told.Case.Sources, sources = append(told.Case.Sources, source), append(sources, own)
		}
		sent, ok := capture.Captures[name]
		if !ok || len(node.Tags) == 0 {
			continue
		}
		one := target{addresses: own, rules: sent.PacketFilterRules}
		for _, route := range node.ApprovedRoutes {
			one.routes = append(one.routes, netip.MustParsePrefix(route))
		}
		targets = append(targets, one)
		told.Case.Devices = append(told.Case.Devices, device{Tags: node.Tags, Routes: node.ApprovedRoutes})
	}
	told.judge(targets, sources)
	return told
}

func main() {
	out := json.NewEncoder(os.Stdout)
	for _, path := range os.Args[1:] {
		check(out.Encode(recorded(path)))
	}
	if len(os.Args) > 1 {
		return
	}
	in := json.NewDecoder(os.Stdin)
	for {
		var asked question
		err := in.Decode(&asked)
		if errors.Is(err, io.EOF) {
			return
		}
		check(err)
		check(out.Encode(judged(asked)))
	}
}
