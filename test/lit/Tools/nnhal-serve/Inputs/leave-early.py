"""Asks a server over TLS, and is gone before it answers.

usage: leave-early.py URL TIMES
"""

import socket
import ssl
import sys
import urllib.parse

REQUEST = b"GET /v2/health/live HTTP/1.1\r\nHost: test\r\n\r\n"


def main():
    url = urllib.parse.urlsplit(sys.argv[1])
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    for _ in range(int(sys.argv[2])):
        plain = socket.create_connection((url.hostname, url.port), timeout=20)
        connection = context.wrap_socket(plain)
        connection.sendall(REQUEST)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        # The answer to the first of these is refused, and the others are written to a connection that is gone.
        connection.sendall(20 * REQUEST)
        connection.close()


main()
