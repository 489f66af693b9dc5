/** `jupyter refine`: entry of the bundled command line, from arguments to an exit status; streams and signals. */
import { Console } from 'node:console';
import { constants } from 'node:os';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArguments } from './arguments';
import { type CommandLinePorts, UsageError } from './commands';
import { helpText } from './helpText';
import { ExitStatus, statusOfError } from '../report/results';
import { createScreen, printable } from '../report/screen';
import { notebooksCommand } from '../run/notebooks';

/** Set by the build. */
declare const REFINE_VERSION: string;

/** Signals that end a run in order; the second one ends it at once. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function main(): Promise<void> {
  // Libraries log to the console: results alone may go to stdout, progress to stderr.
  const log = process.env['REFINE_DEBUG']
    ? process.stderr
    : new Writable({ write: (_chunk, _encoding, done) => done() });
  globalThis.console = new Console(log, log);
  // The Jupyter client abandons promises when a kernel dies; what matters is awaited here.
  process.on('unhandledRejection', reason => console.error(reason));
  process.on('uncaughtException', error => {
    console.error(error);
    process.stderr.write(`jupyter refine: ${error.message}\n`);
    process.exit(ExitStatus.error);
  });
  const stop = new AbortController();
  let interrupted: number | null = null;
  for (const name of SIGNALS) {
    process.on(name, () => {
      const status = 128 + constants.signals[name];
      if (interrupted !== null) {
        process.exit(status);
      }
      interrupted = status;
      createScreen(process.stderr, process.env).line(
        'Stopping. Press Ctrl+C again to stop immediately.'
      );
      stop.abort(new DOMException('stopped', 'AbortError'));
    });
  }
  // A reader that closed its end, `… | head`, wants no more results.
  process.stdout.on('error', () => undefined);
  const status = await commandLine(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    version: REFINE_VERSION,
    warmProgram: fileURLToPath(new URL('../warm/start.py', import.meta.url)),
    signal: stop.signal
  });
  // Connections that linger must not keep the process: all is written, then it ends.
  process.stdout.write('', () => process.exit(interrupted ?? status));
}

/** Run one command; resolves with the exit status and leaves no server and no kernel behind. */
async function commandLine(
  argv: readonly string[],
  ports: CommandLinePorts
): Promise<number> {
  const { stdout, stderr, environment, version } = ports;
  try {
    const command = parseArguments(argv, environment);
    if (command.command === 'run' || command.command === 'check') {
      return await notebooksCommand(command, ports);
    }
    stdout.write(
      command.command === 'help' ? helpText(command.about) : `${version}\n`
    );
    return ExitStatus.passed;
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

void main();
