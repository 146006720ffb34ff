# Sourced by scripts/e2e/apiserver and scripts/e2e/lab: keys, etcd and kube-apiserver of a cluster.
# All files are in the working directory; the caller has made the network, and sets PATH to the programs of scripts/e2e/tools.
# shellcheck shell=bash disable=SC2034

ready_seconds=120

# be_cluster NUMBER: sets the addresses of a cluster; clusters that share a tailnet have different ones.
be_cluster() {
    cluster=$1
    node_ip=10.$((76 + cluster)).0.1 node_ip6=fd00:$((76 + cluster))::1
    api_ip=10.$((95 + cluster)).0.1 api_ip6=fd00:$((95 + cluster))::1
    service_cidrs=10.$((95 + cluster)).0.0/16,fd00:$((95 + cluster))::/112
    pods=10.$((243 + cluster)).0 pods6=fd00:$((243 + cluster))
    pod_cidrs=$pods.0/16,$pods6::/56
    node_name=lab
    ((cluster == 1)) || node_name=lab$cluster
}
be_cluster 1

# require PROGRAM:PACKAGE…: dies unless each program is installed.
require() {
    local pair
    for pair in "$@"; do
        command -v "${pair%:*}" >/dev/null || die "\"${pair%:*}\" not found; install the Debian package \"${pair#*:}\""
    done
}

# sign NAME SUBJECT EXTENSIONS: makes NAME.key and NAME.crt, signed by the CA.
sign() {
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -subj "$2" -out "$1.csr"
    openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile <(printf '%s\n' "$3") -out "$1.crt"
}

make_keys() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -subj /CN=ca -days 2 -out ca.crt
    sign server /CN=kube-apiserver \
        "subjectAltName=IP:127.0.0.1,IP:$node_ip,IP:$api_ip,IP:$api_ip6,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default.svc"
    sign admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
    openssl ecparam -name prime256v1 -genkey -noout -out accounts.key
    openssl ec -in accounts.key -pubout -out accounts.pub
}

write_kubeconfig() {
    cat >kubeconfig <<EOF
apiVersion: v1
kind: Config
current-context: e2e
clusters: [{name: e2e, cluster: {server: "https://127.0.0.1:6443", certificate-authority: "$PWD/ca.crt"}}]
users: [{name: admin, user: {client-certificate: "$PWD/admin.crt", client-key: "$PWD/admin.key"}}]
contexts: [{name: e2e, context: {cluster: e2e, user: admin}}]
EOF
}

# start NAME CMD…: runs CMD in the background, with its output in NAME.log and its process id in NAME.pid.
start() {
    local name=$1
    shift
    "$@" >"$name.log" 2>&1 </dev/null &
    echo $! >"$name.pid"
}

running() { kill -0 "$(<"$1.pid")" 2>/dev/null; }

start_etcd() {
    start etcd etcd --data-dir "$PWD/etcd" --unsafe-no-fsync --log-level warn \
        --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
        --listen-peer-urls http://127.0.0.1:2380
}

# start_kube_apiserver FLAG…
start_kube_apiserver() {
    start kube-apiserver kube-apiserver --etcd-servers http://127.0.0.1:2379 --advertise-address "$node_ip" \
        --tls-cert-file server.crt --tls-private-key-file server.key --client-ca-file ca.crt \
        --service-account-issuer https://kubernetes.default.svc --service-account-key-file accounts.key \
        --service-account-signing-key-file accounts.key --authorization-mode Node,RBAC --allow-privileged \
        --service-cluster-ip-range "$service_cidrs" "$@"
}

# wait_for SECONDS WHAT NAMES CMD…: waits until CMD succeeds; dies with the last lines of the logs if it does not, or if a process of NAMES
# ended.
wait_for() {
    local deadline=$((SECONDS + $1)) reason="$2: not after $1 s" names=$3 name
    shift 3
    while ((SECONDS < deadline)); do
        "$@" >/dev/null 2>&1 && return
        for name in $names; do
            running "$name" || { reason="$name ended"; break 2; }
        done
        sleep 0.2
    done
    for name in $names; do
        printf -- '--- %s.log\n' "$name"
        tail -n 20 "$name.log"
    done >&2
    die "$reason"
}

wait_apiserver() { wait_for "$ready_seconds" "kube-apiserver ready" "etcd kube-apiserver" kubectl get --raw /readyz; }
