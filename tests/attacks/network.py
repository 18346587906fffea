"""Tries to reach this machine and others by every kind of socket.

Must leave nothing.
"""

# %% end
import os, socket
port, name = int(open("port.txt").read()), b"\0headstart-" + open("port.txt", "rb").read()
for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)), (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port)),
    (socket.AF_INET6, socket.SOCK_STREAM, ("::1", port)), (socket.AF_UNIX, socket.SOCK_STREAM, name),
    (socket.AF_INET, socket.SOCK_STREAM, ("10.255.255.1", 80)),
):
    try:
        with socket.socket(family, kind) as out:
            out.settimeout(1)
            out.connect(address)
            out.send(b"canary")
            print("CONNECTED", family, address)
    except OSError as error:
        print(family, type(error).__name__)
for make in (lambda: socket.getaddrinfo("example.org", 80), lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
             lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
             lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM), lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)):
    try:
        print("CONNECTED", make())
    except OSError as error:
        print(type(error).__name__)

# %% folder
(folder / "port.txt").write_text(str(port))
