/** What is wrong with a file, in words. */
export function fileProblem(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | null)?.code;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file or folder.';
    case 'EISDIR':
      return 'it is a folder.';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied.';
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}
