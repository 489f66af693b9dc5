/** True in JupyterLite, which has no server, and whose Python kernel evaluates no expressions. */
export function inLite(): boolean {
  const config = document.getElementById('jupyter-config-data');
  return config?.dataset['jupyterLiteRoot'] !== undefined;
}
