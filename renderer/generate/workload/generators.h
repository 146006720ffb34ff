// One generator for each feature with pods. It creates the objects that every workload has
// (workload_objects.h), and those of the feature. Sources of the shapes: tailscale v1.96.5
// cmd/k8s-operator; the intended differences are in renderer/PARITY.md.
#pragma once

#include "renderer/generate/model.h"

namespace renderer::generate {

// The proxy of one Service, Ingress or Connector, with a headless Service (sts.go,
// deploy/manifests/{proxy,userspace-proxy}.yaml).
void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::ProxyPlan& proxy, Objects& objects);

// A ProxyGroup of any type (proxygroup_specs.go). The types add their own variables and volumes,
// and their ConfigMap.
void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::ProxyGroupPlan& group, Objects& objects);

// A Recorder (tsrecorder_specs.go). Its Secrets for state and auth key belong to the runtime.
void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::RecorderPlan& recorder, Objects& objects);

// The nameserver, a Deployment (deploy/manifests/nameserver). The ConfigMap with its records
// belongs to the controller (testdata/contract/nameserver.md).
void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::NameserverPlan& nameserver, Objects& objects);

// A PeerRelay, with a load balancer for each pod. The controller writes the pods' configuration
// (k8s-operator/reconciler/{peerrelay,tailscaled} of v1.104.5; testdata/contract/peer-relay.md).
void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::PeerRelayPlan& relay, Objects& objects);

// The Kubernetes API for the tailnet: tailscaled, and beside it, as another user, `tailrender-proxy
// api`, which asks tailscaled for the caller of a request.
void generate_feature(const plan::Plan& plan, const plan::Workload& workload,
                      const plan::ApiProxyPlan& proxy, Objects& objects);

}  // namespace renderer::generate
