"""Server configuration for the tests with jupyter-collaboration: no token, the scripted model.

Never use it elsewhere: it opens the server to everybody on this machine.
"""

import os

c = get_config()  # noqa: F821
c.IdentityProvider.token = ""
c.ServerApp.password = ""
c.ServerApp.disable_check_xsrf = True
c.ServerApp.open_browser = False
c.ServerApp.root_dir = os.environ["REFINE_TEST_ROOT"]
c.SQLiteYStore.db_path = os.path.join(os.environ["REFINE_TEST_ROOT"], ".ystore.db")
c.ServerApp.jpserver_extensions = {"jupyterlab_refine": True}
c.LabApp.expose_app_in_browser = True
c.JupyterNotebookApp.expose_app_in_browser = True
c.Refine.profiles = [
    {
        "name": "scripted",
        "base_url": os.environ["REFINE_TEST_MODEL"],
        "api_key": "sk-canary-9f8e7d6c5b4a",
        "models": ["scripted-model"],
        "default_model": "scripted-model",
    }
]
