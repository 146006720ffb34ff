# Sourced by scripts/e2e/lab: the node of its cluster, with the network that pods get.
# Variables that are not assigned here are in scripts/e2e/lab and scripts/e2e/cluster.sh.
# shellcheck shell=bash disable=SC2154

# The kernel may lack the link type "dummy"; a bridge holds the node's addresses as well, and the clients are connected to it.
make_network() {
    ip link set lo up
    ip link add node0 type bridge
    ip address add "$node_ip/24" dev node0
    ip address add "$node_ip6/64" dev node0 nodad
    ip link set node0 up
    ip route add default dev node0
    ip -6 route add default dev node0
    sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
}

# These programs write to fixed paths of the machine: here those are in memory and disappear with the lab.
hide_machine() {
    local folder file
    for folder in /etc /var/lib /var/log; do
        mkdir -p "over$folder/upper" "over$folder/work"
        mount -t overlay overlay -o "lowerdir=$folder,upperdir=$PWD/over$folder/upper,workdir=$PWD/over$folder/work" "$folder"
    done
    mount -t tmpfs -o mode=0755 tmpfs /run
    mkdir /run/netns
    # The kubelet sets these for the whole machine; here they are already set.
    mkdir sysctl
    for file in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
        kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
        printf '%s\n' "${file#*=}" >"sysctl/${file##*/}"
        mount --bind "sysctl/${file##*/}" "/proc/sys/${file%=*}"
    done
    rm -f /etc/resolv.conf
    printf 'nameserver %s\nsearch svc.cluster.local cluster.local\n' "$node_ip" >/etc/resolv.conf
}

# runc cannot lower a score without CAP_SYS_RESOURCE, hence restrict_oom_score_adj.
write_containerd_config() {
    cat >containerd.toml <<EOF
version = 2
root = "$PWD/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$pause_image"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$PWD/cni"
EOF
    mkdir -p cni
    cat >cni/10-lab.conflist <<EOF
{"cniVersion": "0.4.0", "name": "lab", "plugins": [
  {"type": "bridge", "bridge": "pods0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$PWD/ipam",
            "ranges": [[{"subnet": "$pods.0/24"}], [{"subnet": "$pods6::/64"}]],
            "routes": [{"dst": "0.0.0.0/0"}, {"dst": "::/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
EOF
}

start_containerd() {
    write_containerd_config
    # A probe that is killed with the lab leaves a file of runc.
    mkdir tmp
    start containerd env TMPDIR="$PWD/tmp" containerd --config "$PWD/containerd.toml"
}

write_kubelet_config() {
    cat >kubelet.yaml <<EOF
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupRoot: /$cgroup
clusterDNS: [$node_ip]
clusterDomain: cluster.local
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
enforceNodeAllocatable: []
evictionHard: {memory.available: "0%", nodefs.available: "0%", nodefs.inodesFree: "0%", imagefs.available: "0%", imagefs.inodesFree: "0%"}
failCgroupV1: false
failSwapOn: false
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
maxPods: 250
podLogsDir: /var/log/pods
registerNode: true
EOF
}

start_controllers() {
    local leader=(--kubeconfig kubeconfig --leader-elect=false)
    start kube-controller-manager kube-controller-manager "${leader[@]}" --service-account-private-key-file accounts.key \
        --root-ca-file ca.crt --cluster-cidr "$pod_cidrs" --allocate-node-cidrs --node-cidr-mask-size-ipv6 64 \
        --service-cluster-ip-range "$service_cidrs"
    start kube-scheduler kube-scheduler "${leader[@]}"
}

start_node() {
    write_kubelet_config
    start kubelet kubelet --kubeconfig kubeconfig --config kubelet.yaml --root-dir "$PWD/kubelet" --cert-dir "$PWD/kubelet-keys" \
        --node-ip "$node_ip,$node_ip6" --hostname-override "$node_name"
    start kube-proxy kube-proxy --kubeconfig kubeconfig --hostname-override "$node_name" --proxy-mode nftables \
        --cluster-cidr "$pod_cidrs" --conntrack-max-per-core 0
    cat >Corefile <<EOF
.:53 {
    bind $node_ip
    errors
    reload 2s 1s
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        kubeconfig $PWD/kubeconfig e2e
        ttl 5
    }
}
EOF
    start coredns coredns -conf Corefile
}

# The lab has a separate cgroup, under which the kubelet makes those of the pods; with cgroup v1 there is one in each hierarchy.
cgroup_folders() {
    awk -v name="$cgroup" '$3 == "cgroup" || $3 == "cgroup2" { print $2 "/" name }' /proc/mounts
}

make_cgroups() {
    local folder file
    while read -r folder; do
        mkdir -p "$folder"
        for file in cpuset.cpus cpuset.mems; do
            [[ ! -e $folder/cgroup.clone_children || ! -e $folder/$file ]] || cat "${folder%/*}/$file" >"$folder/$file"
        done
    done < <(cgroup_folders)
}

remove_cgroups() {
    local folder
    while read -r folder; do
        [[ ! -d $folder ]] || find "$folder" -depth -type d -exec rmdir {} +
    done < <(cgroup_folders)
}

node_ready() {
    kubectl wait --for=condition=Ready "node/$node_name" --timeout=1s && kubectl get serviceaccount default &&
        busybox nslookup kubernetes.default.svc.cluster.local "$node_ip" && curl -s --cacert ca.crt "https://$api_ip/readyz"
}
