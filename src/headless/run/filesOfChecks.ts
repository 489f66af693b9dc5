/** Files of a command that contain checks, hold-outs or results of other notebooks. */
import { resolve } from 'node:path';
import type { CheckCommand, RunCommand } from '../cli/commands';
import { outputFileOf } from '../files/notebookOutput';

/** Absolute paths of the files that no attempt of this notebook may read. */
export function filesOfChecks(
  command: RunCommand | CheckCommand,
  path: string
): readonly string[] {
  const own =
    command.command === 'run'
      ? [outputFileOf(command, path), command.record, command.replay]
      : // With --show-hidden results contain hidden tests.
        [command.tests, command.csv];
  return [path, command.junit, command.events, ...own].flatMap(file =>
    file === null ? [] : [resolve(file)]
  );
}
