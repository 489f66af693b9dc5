/** Offers to run the cells above that a session needs and its kernel has not run. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { RefineError } from '../../../../core/errors';
import type { CellAbove } from '../../../../notebook/structure/cellsAbove';
import type { Questions } from '../../questions';
import type { UnrunAbove } from '../../target/notebookRequest';
import { capitalized, failureIn } from '../../words';

type CellsAbovePorts = {
  readonly panel: NotebookPanel;
  readonly trans: TranslationBundle;
  readonly questions: Questions;
  /** Run cells in the notebook; resolves with false when one failed. */
  readonly run: (cellIds: readonly string[]) => Promise<boolean>;
  /** What the session waits for: the user, or cells that run; null: it continues. */
  readonly onWait: (reason: string | null, subject?: 'permission') => void;
};

/** Users who went on without these cells: they are not asked again about the same ones. */
const declined = new WeakMap<object, Set<string>>();

/**
 * Ask, and run what the user wants to run.
 *
 * @throws RefineError kind `kernel` when the user does not want to start, or a cell fails.
 */
export async function offerCellsAbove(
  { cells, needed }: UnrunAbove,
  ports: CellsAbovePorts,
  signal: AbortSignal
): Promise<void> {
  const { panel, trans, run, onWait } = ports;
  const kernel = panel.sessionContext.session?.kernel ?? panel;
  const key = cells.map(({ id }) => id).join(' ');
  if (!needed || declined.get(kernel)?.has(key)) {
    return;
  }
  onWait('', 'permission');
  const choice = await ask(cells, ports, signal);
  if (choice === 'without') {
    declined.set(kernel, (declined.get(kernel) ?? new Set()).add(key));
  } else if (choice === 'run') {
    const chosen = cells.filter(cell => !cell.skip);
    onWait(trans.__('running %1', rangeLabel(chosen, trans)));
    const ids = chosen.map(({ id }) => id);
    const held = await run(ids);
    signal.throwIfAborted();
    if (!held) {
      throw notStarted(failedText(ids, ports), trans);
    }
  } else {
    signal.throwIfAborted();
    throw notStarted(
      trans._n(
        '%2 has not run in this kernel.',
        '%2 have not run in this kernel.',
        cells.length,
        capitalized(rangeLabel(cells, trans))
      ),
      trans
    );
  }
  onWait(null);
}

function ask(
  cells: UnrunAbove['cells'],
  { trans, questions }: CellsAbovePorts,
  signal: AbortSignal
): Promise<string | null> {
  const plain = cells.filter(cell => !cell.skip);
  const skipped = cells.filter(cell => cell.skip);
  const label = rangeLabel(cells, trans);
  return questions.ask(
    {
      subject: 'cells-above',
      title: trans._n(
        '%2 has not run in this kernel. Run it first?',
        '%2 have not run in this kernel. Run them first?',
        cells.length,
        capitalized(label)
      ),
      body: [
        trans._n(
          'The session uses names that it defines.',
          'The session uses names that they define.',
          cells.length
        ),
        ...(skipped.length > 0
          ? [
              trans.__(
                'Left out: %1, tagged refine-skip.',
                rangeLabel(skipped, trans)
              )
            ]
          : [])
      ].join('\n'),
      choices: [
        { id: 'leave', label: trans.__('Don’t start') },
        ...(plain.length > 0
          ? [
              {
                id: 'run',
                label: trans.__('Run %1', rangeLabel(plain, trans))
              }
            ]
          : []),
        { id: 'without', label: trans.__('Start without') }
      ]
    },
    signal
  );
}

/** `cell 2`, `cells 1 and 3`, `cells 1 to 3 and 5`. */
export function rangeLabel(
  cells: readonly Pick<CellAbove, 'index'>[],
  trans: TranslationBundle
): string {
  const ranges: [number, number][] = [];
  for (const { index } of cells) {
    const last = ranges.at(-1);
    if (last && last[1] === index) {
      last[1] = index + 1;
    } else {
      ranges.push([index + 1, index + 1]);
    }
  }
  const texts = ranges.map(([from, to]) =>
    from === to
      ? String(from)
      : to === from + 1
        ? trans.__('%1 and %2', from, to)
        : trans.__('%1 to %2', from, to)
  );
  const text =
    texts.length > 1
      ? trans.__('%1 and %2', texts.slice(0, -1).join(', '), texts.at(-1))
      : (texts[0] ?? '');
  return trans._n('cell %2', 'cells %2', cells.length, text);
}

function failedText(
  ids: readonly string[],
  { panel, trans }: CellsAbovePorts
): string {
  const failure = failureIn(panel, ids, trans);
  return failure
    ? trans.__('%1 failed: %2.', capitalized(failure.label), failure.error)
    : trans.__('A cell above did not run to its end.');
}

function notStarted(why: string, trans: TranslationBundle): RefineError {
  return new RefineError('kernel', trans.__('Not started: %1', why), {
    code: 'kernel-refused'
  });
}
