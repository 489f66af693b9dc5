/**
 * The Python program that runs our own Jupyter server. It reads its whole input from
 * standard input, where no other user can read it; when that input ends, however
 * this process ended, it shuts its kernels down and stops.
 */

export type ServerProgramInput = {
  /** Secret that clients must show. */
  readonly token: string;
  /** Absolute path of the folder that kernels may start in. */
  readonly root: string;
};

/** What it prints, as one line of JSON, when it listens. */
export type ServerProgramOutput = { readonly port: number };

export const SERVER_PROGRAM = `
import sys
# The notebook's folder may hold modules of any name: they are the kernel's business.
sys.path[:] = [entry for entry in sys.path if entry]
import json, os, socket, threading

given = json.loads(sys.stdin.readline())

# jsonschema imports it for a format that nothing here uses: two seconds for its grammar.
sys.modules["rfc3987_syntax"] = None

from traitlets.config import Config
from jupyter_core.paths import jupyter_config_path
from jupyter_server.auth.authorizer import AllowAllAuthorizer
from jupyter_server.auth.identity import IdentityProvider
from jupyter_server.extension.config import ExtensionConfigManager
from jupyter_server.serverapp import ServerApp

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

# Other extensions (JupyterLab, terminals) are not needed and cost seconds.
others = ExtensionConfigManager(read_config_path=jupyter_config_path()).get_jpserver_extensions()
config = Config()
config.ServerApp.update({
    "ip": "127.0.0.1", "port": port, "port_retries": 50, "sock": "", "base_url": "/",
    "open_browser": False, "root_dir": given["root"], "certfile": "", "keyfile": "",
    "allow_root": hasattr(os, "geteuid") and os.geteuid() == 0,
    "identity_provider_class": IdentityProvider, "authorizer_class": AllowAllAuthorizer,
    "jpserver_extensions": {**{name: False for name in others}, "jupyterlab_refine": True},
    "log_level": 30,
})
config.IdentityProvider.token = given["token"]
config.ContentsManager.allow_hidden = True

app = ServerApp.instance(config=config)
app.initialize(argv=[])

def stop_at_end_of_input():
    while os.read(0, 1024):
        pass
    app.io_loop.add_callback(app.stop)
    # A kernel that does not let itself be shut down must not keep the server.
    last = threading.Timer(15, os._exit, (1,))
    last.daemon = True
    last.start()

threading.Thread(target=stop_at_end_of_input, daemon=True).start()

def report_port():
    print(json.dumps({"port": app.port}), flush=True)

app.io_loop.add_callback(report_port)
app.start()
`;
