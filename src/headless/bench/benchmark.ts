/** `jupyter refine bench`: measures a model, or recorded answers, on the tasks of a file. */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ServerConnection } from '@jupyterlab/services';
import { RefineError } from '../../core/errors';
import { fetchProfiles } from '../../models/server';
import type { BenchCommand } from '../cli/commands';
import type { CommandLinePorts } from '../cli/ports';
import { noEvents, openEventFile } from '../files/eventFile';
import { fileProblem } from '../files/fileProblem';
import { writeWhole } from '../files/notebookFile';
import { ExitStatus } from '../report/results';
import { jsonText } from '../report/runnerStream';
import { createScreen, noScreen } from '../report/screen';
import { givenServer } from '../server/jupyterServer';
import { withModelProcess } from '../server/modelProcess';
import { chooseModels } from '../server/modelChoice';
import {
  readAnswers,
  RecordedAnswers,
  references,
  type Answers
} from './answers';
import { compareReports } from './compare';
import { markdownReport, markdownTable } from './report/markdown';
import { pageOf } from './report/page';
import { comparisonTable, reportOf } from './report/rows';
import type { BenchReport } from './results';
import { runAll, type Source } from './runs';
import { readTasks, type Task } from './tasks';

/** Resolves with the exit status. */
export async function benchmark(
  command: BenchCommand,
  ports: CommandLinePorts
): Promise<number> {
  if (command.compare) {
    const [a = '', b = ''] = command.files;
    const comparisons = compareReports([a, b]);
    const text = command.json
      ? jsonText({ command: 'bench', comparisons }, 2)
      : markdownTable(comparisonTable(comparisons));
    ports.stdout.write(`${text}\n`);
    return ExitStatus.passed;
  }
  const [file = ''] = command.files;
  const tasks = readTasks(file);
  const folder = command.outputDir;
  if (folder !== null) {
    makeFolder(folder);
  }
  const report = await withSource(command, tasks, ports, source =>
    measure(command, tasks, source, ports)
  );
  write(command, report, ports);
  if (ports.signal.aborted) {
    return ExitStatus.interrupted;
  }
  const results = report.runs.flatMap(run => run.tasks);
  const wrong = results.find(({ error }) => error !== null);
  if (wrong) {
    ports.stderr.write(
      `jupyter refine: task ${wrong.task} has no result: ${wrong.error}\n`
    );
    return ExitStatus.error;
  }
  const isUnsolved = results.some(({ solved }) => !solved);
  return command.references && isUnsolved
    ? ExitStatus.failed
    : ExitStatus.passed;
}

async function measure(
  command: BenchCommand,
  tasks: readonly Task[],
  source: Source,
  ports: CommandLinePorts
): Promise<BenchReport> {
  const { stderr, environment, version } = ports;
  const whole = createScreen(stderr, environment);
  const screen = command.quiet ? noScreen(whole) : whole;
  const events =
    command.events === null ? noEvents : openEventFile(command.events);
  const chosen = tasks.filter(task => source.modelFor(task) !== null);
  try {
    const runs = await runAll(command, chosen, source, {
      ...ports,
      screen,
      events
    });
    const { profile, model } = source.identity;
    return {
      command: 'bench',
      version,
      tasksFile: basename(command.files[0] ?? ''),
      model: source.identity.recorded ? model : `${profile}/${model}`,
      leftOut: tasks.length - chosen.length,
      workers: command.workers,
      runs: [...runs]
    };
  } finally {
    events.close();
  }
}

/** What was run is reported, also after an interruption. */
function write(
  { json, outputDir }: BenchCommand,
  report: BenchReport,
  { stdout }: CommandLinePorts
): void {
  const shown = reportOf(report);
  const data = `${jsonText({ ...report, summaries: shown.summaries }, 1)}\n`;
  const markdown = `${markdownReport(shown)}\n`;
  if (outputDir !== null) {
    writeWhole(join(outputDir, 'report.json'), data);
    writeWhole(join(outputDir, 'report.md'), markdown);
    writeWhole(join(outputDir, 'report.html'), pageOf(shown, report));
  }
  stdout.write(json ? data : markdown);
}

/** Start the process of the models only where one is called, and stop it whatever happens. */
async function withSource<T>(
  command: BenchCommand,
  tasks: readonly Task[],
  ports: CommandLinePorts,
  use: (source: Source) => Promise<T>
): Promise<T> {
  const { recorded } = command;
  if (command.references || recorded !== null) {
    const answers =
      recorded === null ? references(tasks) : readAnswers(recorded, tasks);
    if (answers.size === 0) {
      throw new RefineError(
        'input',
        `--references: no task of ${command.files[0]} has a solution (code or canonical_solution).`
      );
    }
    return use(recordedSource(recorded, answers));
  }
  const { server } = command;
  return withModelProcess(command, ports, async own => {
    const { settings } =
      own ?? givenServer(server!.url, server!.token, ports.environment);
    return use(await modelSource(command, settings));
  });
}

function recordedSource(file: string | null, answers: Answers): Source {
  const model = file === null ? 'references' : basename(file);
  const identity = {
    profile: 'recorded',
    model,
    host: 'recorded',
    recorded: true
  };
  return {
    identity,
    modelFor: ({ id }) => {
      const programs = answers.get(id);
      return programs ? new RecordedAnswers(programs, identity) : null;
    },
    answersOf: ({ id }) => answers.get(id) ?? null
  };
}

async function modelSource(
  command: BenchCommand,
  settings: ServerConnection.ISettings
): Promise<Source> {
  const profiles = await fetchProfiles(settings);
  const models = chooseModels(settings, profiles, command, command.options);
  return {
    identity: models.generator.identity,
    modelFor: () => models.generator,
    answersOf: () => null
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw new RefineError(
      'input',
      `--output-dir ${folder} cannot be created: ${fileProblem(cause)}`,
      { cause }
    );
  }
}
