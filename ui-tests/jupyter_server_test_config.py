"""Server configuration for the browser tests: no token, galata's helpers, the scripted model.

Never use it elsewhere: it opens the server to everybody on this machine.
"""

import os
import pathlib
import tempfile

from jupyterlab.galata import configure_jupyter_server

c = get_config()  # noqa: F821
configure_jupyter_server(c)

# A kernel of another language, in ./kernels.
paths = [str(pathlib.Path(__file__).parent), os.environ.get("JUPYTER_PATH", "")]
os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, paths))

base = os.environ.get("REFINE_TEST_PORT", "18990")
root = pathlib.Path(tempfile.gettempdir()) / f"refine-ui-tests-{base}"
root.mkdir(exist_ok=True)
c.ServerApp.root_dir = str(root)

model = os.environ.get("REFINE_TEST_MODEL")
if model:
    c.Refine.profiles = [
        {
            "name": "scripted",
            "base_url": model,
            "api_key": "sk-canary-9f8e7d6c5b4a",
            "models": ["scripted-model"],
            "default_model": "scripted-model",
        },
        {
            "name": "priced",
            "base_url": model,
            "api_key": "sk-canary-9f8e7d6c5b4a",
            "models": ["scripted-model"],
            # US dollars for a million tokens.
            "prices": {"scripted-model": {"input": 2.0, "output": 8.0}},
        },
    ]
    c.Refine.default_profile = "scripted"
elif "REFINE_TEST_KEEP_MODEL" not in os.environ:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        os.environ.pop(name, None)
    os.environ["OLLAMA_HOST"] = "127.0.0.1:9"
