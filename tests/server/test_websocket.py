"""The kernel websocket sends small messages at once."""

import asyncio
import socket

import pytest
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.kernelmanager import MappingKernelManager
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application
from tornado.websocket import WebSocketHandler, websocket_connect
from traitlets.config import Config

from jupyterlab_refine.websocket import leave_untracked, with_nodelay


class Plain:
    """The least a connection class has to be."""

    def __init__(self, handler):
        self.websocket_handler = handler
        self.connected_with = None

    def connect(self, *args, **kwargs):
        self.connected_with = (args, kwargs)
        return "connected"


class Handler:
    def __init__(self, error=None):
        self.calls = []
        self.error = error

    def set_nodelay(self, value):
        if self.error:
            raise self.error
        self.calls.append(value)


@pytest.mark.parametrize("handler", [None, Handler(OSError("closed"))])
def test_connects_even_where_the_option_cannot_be_set(handler):
    assert with_nodelay(Plain)(handler).connect() == "connected"


def test_keeps_name_and_configuration():
    wrapped = with_nodelay(ZMQChannelsWebsocketConnection)
    assert wrapped.__name__ == "ZMQChannelsWebsocketConnection"
    config = Config()
    config.ZMQChannelsWebsocketConnection.iopub_msg_rate_limit = 7
    assert wrapped(config=config).iopub_msg_rate_limit == 7
    config = Config()
    config.ZMQChannelsWebsocketConnection.limit_rate = False
    assert wrapped(config=config).limit_rate is False


@pytest.mark.parametrize("fixed", [True, False])
async def test_option_on_a_real_socket(fixed):
    opened = asyncio.get_running_loop().create_future()

    class Connecting(WebSocketHandler):
        def open(self):
            made = with_nodelay(Plain) if fixed else Plain
            made(self).connect()
            stream = self.ws_connection.stream
            opened.set_result(stream.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    server = HTTPServer(Application([("/", Connecting)]))
    listening = bind_sockets(0, "127.0.0.1")
    server.add_sockets(listening)
    port = listening[0].getsockname()[1]
    client = await websocket_connect(f"ws://127.0.0.1:{port}/")
    assert bool(await opened) is fixed
    client.close()
    server.stop()


def test_control_requests_do_not_count_as_the_kernel_s_state():
    manager = MappingKernelManager()
    before = list(manager.untracked_message_types)
    assert manager.track_message_type("refine_request")
    leave_untracked(manager)
    assert not manager.track_message_type("refine_request")
    leave_untracked(manager)
    assert manager.untracked_message_types == [*before, "refine_request", "refine_reply"]
