// Command headscale-policy judges a tailnet's policy with the policy engine of Headscale, and its comments and order with Tailscale's HuJSON.
//
//	headscale-policy FILE < QUESTIONS
//
// QUESTIONS is JSON: {"devices": [{"tags": ["tag:k8s"], "routes": ["10.0.0.0/8", "0.0.0.0/0"], "attrs": ["funnel"]}], "tags": ["tag:k8s"]}.
// It prints JSON: {"approved": [["10.0.0.0/8"]], "attrs": [["funnel"]], "tags": ["tag:k8s"], "services": {"svc:web": ["tag:k8s"]}}: what
// the policy approves of each device's routes, which attributes it has, and which of the tags exist. It ends with 1 and why where the policy
// is refused.
//
// Headscale has no Tailscale Services, so autoApprovers.services, and rules for a "svc:", are taken out before; the former is printed. It
// refuses the attribute of Funnel, in whose place another one stands.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"

	policy "github.com/juanfont/headscale/hscontrol/policy/v2"
	"github.com/juanfont/headscale/hscontrol/types"
	"github.com/tailscale/hujson"
	"tailscale.com/tailcfg"
)

const standIn = "example.com/cap/funnel"

type device struct {
	Tags   []string `json:"tags"`
	Routes []string `json:"routes"`
	Attrs  []string `json:"attrs"`
}

type questions struct {
	Devices []device `json:"devices"`
	Tags    []string `json:"tags"`
}

type answers struct {
	Approved [][]string `json:"approved"`
	Attrs    [][]string `json:"attrs"`
	Tags     []string   `json:"tags"`
	Services any        `json:"services"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// withoutServices takes out what Headscale does not know.
func withoutServices(text []byte) ([]byte, any) {
	standard, err := hujson.Standardize(text)
	check(err)
	var root map[string]any
	check(json.Unmarshal(standard, &root))
	var services any
	for key, section := range root {
		approvers, ok := section.(map[string]any)
		if ok && strings.EqualFold(key, "autoApprovers") {
			services = approvers["services"]
			delete(approvers, "services")
		}
		rules, ok := section.([]any)
		if ok && strings.EqualFold(key, "nodeAttrs") {
			for _, rule := range rules {
				attrs, _ := rule.(map[string]any)["attr"].([]any)
				for i := range attrs {
					if attrs[i] == "funnel" {
						attrs[i] = standIn
					}
				}
			}
		}
		if ok && strings.EqualFold(key, "grants") {
			var kept []any
			for _, rule := range rules {
				if to, err := json.Marshal(rule.(map[string]any)["dst"]); err == nil && !strings.Contains(string(to), "svc:") {
					kept = append(kept, rule)
				}
			}
			root[key] = kept
		}
	}
	left, err := json.Marshal(root)
	check(err)
	return left, services
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var asked questions
	input, err := io.ReadAll(os.Stdin)
	check(err)
	check(json.Unmarshal(input, &asked))
	left, services := withoutServices(text)

	var nodes types.Nodes
	for i, one := range asked.Devices {
		address := netip.AddrFrom4([4]byte{100, 64, 0, byte(i + 1)})
		nodes = append(nodes, &types.Node{ID: types.NodeID(i + 1), Hostname: fmt.Sprint("device-", i), IPv4: &address, Tags: one.Tags})
	}
	manager, err := policy.NewPolicyManager(left, []types.User{{Name: "alice", Email: "alice@example.com"}}, nodes.ViewSlice())
	check(err)

	told := answers{Services: services}
	for i, one := range asked.Devices {
		approved, attrs := []string{}, []string{}
		for _, route := range one.Routes {
			if manager.NodeCanApproveRoute(nodes[i].View(), netip.MustParsePrefix(route)) {
				approved = append(approved, route)
			}
		}
		have := manager.NodeCapMap(nodes[i].ID)
		for _, attr := range one.Attrs {
			asked := tailcfg.NodeCapability(attr)
			if attr == "funnel" {
				asked = standIn
			}
			if _, ok := have[asked]; ok {
				attrs = append(attrs, attr)
			}
		}
		told.Approved, told.Attrs = append(told.Approved, approved), append(told.Attrs, attrs)
	}
	for _, tag := range asked.Tags {
		if manager.TagExists(tag) {
			told.Tags = append(told.Tags, tag)
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(told))
}
