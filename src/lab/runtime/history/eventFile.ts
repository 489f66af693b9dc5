import type { Contents } from '@jupyterlab/services';

/** The text of a file on the server. */
export async function readText(
  contents: Contents.IManager,
  path: string
): Promise<string> {
  const file = await contents.get(path, {
    type: 'file',
    format: 'text',
    content: true
  });
  return String(file.content);
}
