"""Cases with a Tailscale Service in place of the device's own name, as the pods of a group serve it: whoever starts tailscaled writes the
serve config that targets the proxy."""
import json
import signal
import time

from world import BOB, HOST, POD, WEBSOCKET, Client, World, case, check, echo, equal, wait_until

SERVICE = "svc:api"


def leads(world: World, **changes: object) -> bytes:
    """Returns the entry of the Service in tailscaled's serve config."""
    port = {"TCPForward": f"{HOST}:{world.port}", "TerminateTLS": "api.t.ts.net", "ProxyProtocol": 2} | changes
    return json.dumps({"Services": {SERVICE: {"TCP": {"443": port}}}}).encode()


def is_led(world: World) -> None:
    world.daemon.serve = leads(world)
    wait_until("it is ready", world.is_ready)


@case(service=SERVICE, ready=False)
def a_service_is_served_as_the_device_is(world: World) -> None:
    is_led(world)
    with Client(world) as client:
        equal(client.ask().status, 200)
    with Client(world, "100.64.0.99") as client:
        equal(client.ask().status, 403)
    [request] = world.api.requests
    equal((request.all("impersonate-user"), request.all("impersonate-group")), (["alice@example.com"], ["dev", "qa"]))
    equal(world.daemon.posted, 0)


@case(service=SERVICE, ready=False)
def a_serve_that_does_not_lead_here_is_not_ready_and_is_not_written(world: World) -> None:
    wait_until("it says why", lambda: world.page("/readyz") == (503, "the Serve configuration of tailscaled must forward port 443 of svc:api to this proxy, and nothing else\n"))
    for wrong in (leads(world, ProxyProtocol=1), leads(world).replace(b"svc:api", b"svc:b"),
                  json.dumps({"TCP": json.loads(leads(world))["Services"][SERVICE]["TCP"]}).encode(),
                  json.dumps(json.loads(leads(world)) | {"TCP": {"8443": {"TCPForward": f"{HOST}:{world.port}"}}}).encode()):
        world.daemon.serve, asked = wrong, world.daemon.asked.count("serve-config")
        wait_until("it has looked", lambda: world.daemon.asked.count("serve-config") > asked)
        equal((wrong, world.page("/readyz")[0]), (wrong, 503))
        before = world.refused("not_serving")
        with Client(world) as client:
            check(client.is_closed(), "taken, whoever made its header")
        equal(world.refused("not_serving"), before + 1)
    is_led(world)
    equal(world.daemon.posted, 0)


@case(service=SERVICE, ready=False)
def one_that_restarts_is_advertised_as_it_is_configured(world: World) -> None:
    world.daemon.configured = [SERVICE]
    is_led(world)
    wait_until("it is advertised", lambda: world.daemon.prefs["AdvertiseServices"] == [SERVICE])
    world.daemon.prefs = {"AdvertiseServices": None}  # so that the program ends at once


@case(waits=True, service=SERVICE, ready=False, grace=3)
def what_it_advertises_goes_first_and_clients_are_served_until_they_are_elsewhere(world: World) -> None:
    world.daemon.prefs = {"AdvertiseServices": [SERVICE]}
    is_led(world)
    world.api.script = echo("websocket")
    session = Client(world, BOB)
    equal(session.ask(f"{POD}/exec", fields=WEBSOCKET).status, 101)
    session.file.readline()
    begun = time.monotonic()
    world.process.send_signal(signal.SIGTERM)
    for _ in range(2):  # twice, as a reload would advertise it again
        wait_until("it advertises nothing", lambda: world.daemon.prefs["AdvertiseServices"] is None)
        world.daemon.prefs = {"AdvertiseServices": [SERVICE]}
    wait_until("it advertises nothing", lambda: world.daemon.prefs["AdvertiseServices"] is None)
    world.api.script = None
    while time.monotonic() < begun + 18:
        with Client(world) as client:
            equal(client.ask().status, 200)
        time.sleep(1)
    session.send(b"still\n")
    equal(session.file.readline(), b"still\n")
    check(session.is_closed(), "goes on")
    equal(world.process.wait(10), 0)
    check(20 < time.monotonic() - begun < 30, "took", time.monotonic() - begun)


@case(service=SERVICE, ready=False)
def it_stops_at_once_where_nothing_is_advertised(world: World) -> None:
    is_led(world)
    world.process.send_signal(signal.SIGTERM)
    equal(world.process.wait(10), 0)


@case(service="api", ready=False)
def a_name_that_is_no_services_ends_it(world: World) -> None:
    equal(world.process.wait(10), 1)
    check("invalid TAILRENDER_API_SERVICE" in world.log.read_text(), world.log.read_text())
