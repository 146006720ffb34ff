"""A controller whose time and memory are read from /proc."""
import http.client
import os
import pathlib
import subprocess
import tempfile
import time

from shared.controller_process import NAMESPACE, access, environment

from bench_cluster import writes

PORT = 9002  # of the controller's health
TICK = 10  # seconds; the controller looks at everything that often
IDLE = 0.1  # of a core, at most, of a controller that has nothing to do
LIMIT = 1800  # seconds


class Controller:
    """`tailnet`: its URL; `client`: id and secret."""

    def __init__(self, api, runtime, tailnet, client):
        self.api, self.folder = api, tempfile.TemporaryDirectory()
        server, files = access(client)
        self.runtime, self.log = runtime, pathlib.Path(self.folder.name, "log")
        self.environment = environment(self.folder.name, server, tailnet, files, POD_NAME="bench")
        self.spent, self.ends, self.most, self.last = 0, 0, 0, 0  # by processes that have ended; the present one's time
        self.begun = time.monotonic()
        self.start()

    def start(self):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([self.runtime, "controller"], stdout=log, stderr=log, env=self.environment)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.terminate()  # gives its Lease back
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def seconds(self):
        """CPU time so far, of all threads."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        self.last = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return self.spent + self.last

    def memory(self):
        """Resident bytes, and the most that there ever were."""
        lines = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8").splitlines()
        values = dict(line.split(":", 1) for line in lines)
        return tuple(int(values[key].split()[0]) * 1024 for key in ("VmRSS", "VmHWM"))

    def demand_runs(self):
        assert self.process.poll() is None, "the controller ended: " + self.log.read_text(encoding="utf-8")[-2000:]

    def keep(self):
        """As the kubelet does; the most memory of all that have run counts."""
        if self.process.poll() is not None:
            self.ends += 1
            self.spent += self.last
            self.start()
        else:
            self.seconds()
            self.most = max(self.most, *self.memory())

    def sample(self):
        """Seconds since the start, CPU seconds, writes."""
        self.demand_runs()
        return time.monotonic() - self.begun, self.seconds(), writes(self.api)

    def is_ready(self):
        """It leads, and has read the cluster."""
        leases = self.api.ask(f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases")["items"]
        if not any(lease["spec"].get("holderIdentity") for lease in leases):
            return False
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200

    def wait_ready(self):
        while not self.is_ready():
            self.demand_runs()
            assert time.monotonic() - self.begun < LIMIT, "the controller does not get ready"
            time.sleep(0.2)

    def wait_quiet(self):
        """Until it has written nothing and used little time for a whole tick. Wall and CPU seconds from its start until it came to rest:
        from then on it used no more in a tick than it does in the next one."""
        self.wait_ready()
        samples = [self.sample()]
        while True:
            time.sleep(0.5)
            samples.append(self.sample())
            tick = [sample for sample in samples if sample[0] >= samples[-1][0] - TICK]
            if tick[0] != samples[0] and tick[0][2] == tick[-1][2] and tick[-1][1] - tick[0][1] < TICK * IDLE:
                break
            assert samples[-1][0] < LIMIT, f"the controller does not come to rest: {samples[-1]}"
        time.sleep(TICK)
        idle = (self.seconds() - samples[-1][1]) * 1.2 + 0.05
        return self.begin_of_rest(samples, idle)

    @staticmethod
    def begin_of_rest(samples, idle):
        for index, (wall, cpu, written) in enumerate(samples):
            tick = [sample for sample in samples[index:] if sample[0] <= wall + TICK]
            if tick[-1][2] == written and tick[-1][1] - cpu <= idle:
                return wall, cpu
        return samples[-1][:2]
