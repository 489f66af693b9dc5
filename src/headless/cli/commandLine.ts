/** `jupyter refine`: from arguments to an exit status. */
import { parseArguments } from './arguments';
import { helpText } from './helpText';
import { notebooksCommand } from '../run/notebooks';
import { type CommandLinePorts, UsageError } from './commands';
import { ExitStatus, statusOfError } from '../report/results';
import { withoutCommands } from '../report/github';
import { printable } from '../report/text';

/** Run one command; resolves with the exit status and leaves no server and no kernel behind. */
export async function commandLine(
  argv: readonly string[],
  given: CommandLinePorts
): Promise<number> {
  // GitHub's runner, or one that works like it, reads the output.
  const isForRunner = given.environment['GITHUB_ACTIONS'] === 'true';
  const ports = isForRunner
    ? {
        ...given,
        stdout: withoutCommands(given.stdout),
        stderr: withoutCommands(given.stderr)
      }
    : given;
  const { stdout, stderr, environment, version } = ports;
  try {
    const command = parseArguments(argv, environment);
    switch (command.command) {
      case 'help':
        stdout.write(helpText(command.about));
        return ExitStatus.passed;
      case 'version':
        stdout.write(`${version}\n`);
        return ExitStatus.passed;
      case 'run':
      case 'check':
        return await notebooksCommand(command, ports);
    }
  } catch (error) {
    if (ports.signal.aborted) {
      stderr.write('jupyter refine: stopped\n');
      return ExitStatus.interrupted;
    }
    const message = error instanceof Error ? error.message : String(error);
    stderr.write(`jupyter refine: ${printable(message)}\n`);
    if (error instanceof UsageError) {
      stderr.write('jupyter refine help lists the commands and their flags.\n');
      return ExitStatus.input;
    }
    return ExitStatus[statusOfError(error)];
  }
}
