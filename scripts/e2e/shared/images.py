"""The images of this project, as values name them in tests. No registry has them, so there is no default name."""
REGISTRY = "registry.example.com"
RUNTIME = f"{REGISTRY}/tailrender-runtime"
PROXY = f"{REGISTRY}/tailrender-proxy"
RUNTIME_IMAGE = "tailrender.image.repository=" + RUNTIME
PROXY_IMAGE = "tailrender.proxyImage.repository=" + PROXY
OWN_IMAGES = ("--set", RUNTIME_IMAGE, "--set", PROXY_IMAGE)
