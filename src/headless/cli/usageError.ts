/** The command line was used wrongly: exit status 2, with a line on where to read more. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
