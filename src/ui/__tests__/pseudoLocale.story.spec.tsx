/**
 * No sentence of ours is shown in English: the translator here writes what it
 * has seen in wide letters, all data is Greek, so that a Latin letter escaped.
 */
import {
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import * as React from 'react';
import type { StopReason } from '../../core/domain/outcome';
import { RefineError } from '../../core/errors';
import type { AttemptPhase, SessionPhase } from '../../core/events/state';
import { failureTitle } from '../../core/events/title';
import { TEMPLATES } from '../../core/messages/translated';
import { english } from '../../core/text/english';
import { FreshKernel, type FreshResult } from '../../kernel';
import { checkInCleanKernel } from '../../lab/runtime/cells/cleanCheck';
import { CleanChecks } from '../../lab/runtime/cells/cleanChecks';
import type { CheckView, RefineView } from '../../tokens';
import { attempt, execution, HOLDOUT, ISOLATED } from './attempts';
import { renderPanel, type RenderedPanel } from './renderPanel';
import {
  ended,
  checkView,
  IDENTITY,
  LIVE,
  outcome,
  PASSED,
  REQUEST,
  session,
  TARGET,
  view
} from './views';

type Value = string | number;

type Shown = Partial<RefineView>;

function wide(template: string): string {
  return template.replace(/[A-Za-z]/g, letter =>
    String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)
  );
}

const pseudo = Object.assign(
  Object.create(nullTranslator.load('jupyterlab_refine')),
  {
    __: (text: string, ...values: readonly Value[]) =>
      english.__(wide(text), ...values),
    _n: (one: string, more: string, n: number, ...values: readonly Value[]) =>
      english.__(wide(n === 1 ? one : more), n, ...values)
  }
) as TranslationBundle;

const Δ = 'γάμμα';

const DATA = [Δ, 'δέλτα', 'ζήτα', 'λάμδα', 'σίγμα'];

type Sentence = {
  /** As core, executors, kernel part or server send it. */
  readonly text: string;
  /** How it starts in the panel, which cuts long ones and sets backticks as code. */
  readonly start: string;
};

/** All of the catalogue; a shorter one with a slot is only shown as a value of another. */
const SENTENCES: readonly Sentence[] = TEMPLATES.filter(
  template => template.replace(/%\d/g, '').length >= 8 || !/%\d/.test(template)
).map(template => ({
  text: english.__(template, ...DATA),
  start: compact(english.__(wide(template), ...DATA)).slice(0, 60)
}));

const SENTENCE = SENTENCES[0]?.text ?? '';

function compact(text: string): string {
  return text.replace(/[\s`]+/g, '');
}

const MODEL = { ...IDENTITY, profile: Δ, model: Δ, host: Δ };

const MODELS: RefineView['models'] = {
  status: 'ready',
  identity: MODEL,
  profiles: [{ name: Δ, host: Δ, models: [Δ], defaultModel: Δ, demo: false }]
};

const GREEK_CHECKS = (
  [
    { role: 'assertion' },
    { role: 'assertion', tagged: true },
    { role: 'assertion', leftOut: true },
    { role: 'assertion', tagged: true, problem: Δ },
    { role: 'holdout', tagged: true },
    { role: 'scorer', tagged: true },
    { role: 'hidden-data', names: [Δ] }
  ] satisfies Partial<CheckView>[]
).map(given => checkView({ cellId: 'c', label: Δ, ...given }));

const GREEK_TARGET = {
  ...TARGET,
  path: Δ,
  label: Δ,
  prompt: Δ,
  checks: GREEK_CHECKS
};

const GREEK_REQUEST = { ...REQUEST, prompt: Δ };

const RESULT = { ...HOLDOUT, role: 'assertion' as const, source: Δ };

const VALUE = { expression: Δ, type: Δ, repr: Δ };

const PLAIN = attempt(1, {
  title: Δ,
  thoughts: Δ,
  code: Δ,
  output: Δ,
  prompt: [{ role: Δ, content: Δ }],
  assertions: [RESULT],
  execution: execution([RESULT])
});

function greek(change: Parameters<typeof session>[0]) {
  return { request: GREEK_REQUEST, model: MODEL, attempts: [PLAIN], ...change };
}

function error(message: string) {
  return { name: Δ, message, traceback: Δ };
}

/** A panel in the pseudo-locale that is shown one view after another. */
class PseudoPanel {
  /** What was in Latin letters. */
  readonly escaped: string[] = [];

  constructor(first: Shown) {
    this._panel = renderPanel(
      view({ target: GREEK_TARGET, models: MODELS, ...first }),
      PLAIN.prompt,
      pseudo
    );
  }

  /** Opens rows and lists for good, then one after the other whatever else opens. */
  async open(): Promise<void> {
    const { host } = this._panel;
    const closed = (what: string) => [
      ...host.querySelectorAll<HTMLButtonElement>(what)
    ];
    const rows =
      '.jp-Refine-attemptHead[aria-expanded="false"], .jp-Refine-more button';
    for (let next = closed(rows); next.length > 0; next = closed(rows)) {
      await this._click(next);
    }
    for (const button of closed('button[aria-expanded="false"]')) {
      await this._click([button]);
      this.read();
    }
  }

  show(change: Shown): void {
    this._panel.show(change);
  }

  /** All text, and notes what of it escaped. */
  read(): string {
    const { host } = this._panel;
    const texts: string[] = [];
    const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      texts.push(walker.currentNode.textContent ?? '');
    }
    host
      .querySelectorAll('[title], [aria-label], [placeholder]')
      .forEach(element => {
        for (const name of ['title', 'aria-label', 'placeholder']) {
          texts.push(element.getAttribute(name) ?? '');
        }
      });
    this.escaped.push(...texts.filter(text => /[A-Za-z]/.test(text)));
    return texts.join('');
  }

  close(): void {
    this._panel.unmount();
  }

  private _click(buttons: readonly HTMLButtonElement[]): Promise<void> {
    return React.act(async () => {
      buttons.forEach(button => button.click());
      await Promise.resolve();
      jest.advanceTimersByTime(20);
    });
  }

  private readonly _panel: RenderedPanel;
}

/** What of the panel is in Latin letters, with every part of it opened. */
async function escaped(change: Shown): Promise<readonly string[]> {
  const panel = new PseudoPanel(change);
  await panel.open();
  expect(panel.read()).toMatch(/[\uff21-\uff5a]/);
  panel.close();
  return panel.escaped;
}

/** What escapes, or is not shown, where each view shows `size` of the sentences. */
async function escapedOrMissing(
  size: number,
  viewOf: (texts: readonly string[]) => Shown | Promise<Shown>
): Promise<readonly string[]> {
  const missing: string[] = [];
  let panel: PseudoPanel | null = null;
  for (let i = 0; i < SENTENCES.length; i += size) {
    const sentences = SENTENCES.slice(i, i + size);
    const shown = await viewOf(sentences.map(({ text }) => text));
    if (panel === null) {
      panel = new PseudoPanel(shown);
      await panel.open();
    } else {
      panel.show(shown);
    }
    const text = compact(panel.read());
    missing.push(
      ...sentences.flatMap(({ start }) => (text.includes(start) ? [] : start))
    );
  }
  panel?.close();
  return [...(panel?.escaped ?? []), ...missing];
}

const STOPS: Readonly<Record<StopReason, true>> = {
  passed: true,
  'max-attempts': true,
  patience: true,
  target: true,
  budget: true,
  timeout: true,
  stopped: true,
  rejected: true,
  'kernel-died': true,
  'kernel-restarted': true,
  'model-error': true,
  refused: true,
  'internal-error': true,
  'target-changed': true,
  disputed: true,
  'no-checks': true,
  runs: true
};

describe('no English is shown', () => {
  it.each(Object.keys(STOPS) as StopReason[])(
    'at the end: %s',
    async stopReason => {
      for (const attempts of [0, 1]) {
        const passed = stopReason === 'passed';
        const end = outcome({
          passed,
          stopReason,
          attempts,
          ...(passed
            ? { confirmed: { n: 0, of: 1 } }
            : { error: { code: 'kernel-dead', message: SENTENCE } })
        });
        const shown = [{ ...PLAIN, attempt: attempts }];
        const state = ended(end, greek({ best: 1, attempts: shown }));
        expect(await escaped({ session: state })).toEqual([]);
      }
    }
  );

  const phases: readonly SessionPhase[] = [
    'starting',
    'checking',
    'writing',
    'running',
    'judging',
    'waiting'
  ];
  it.each(phases)('during a session: %s', async phase => {
    const ofAttempt: AttemptPhase =
      phase === 'writing' || phase === 'running' || phase === 'judging'
        ? phase
        : 'ended';
    const attempts = [{ ...PLAIN, phase: ofAttempt }];
    const state = session(greek({ phase, attempts }));
    expect(await escaped({ session: state })).toEqual([]);
    expect(await escaped({ session: { ...state, attempts: [] } })).toEqual([]);
  });

  it('while it waits', async () => {
    const silence = { type: 'silence', model: Δ, ms: 300_000 } as const;
    for (const waiting of [
      { for: 'human', reason: '' },
      { for: 'permission', reason: '' },
      { for: 'kernel', reason: '' },
      { for: 'model', reason: Δ, model: { ...silence, host: Δ } },
      { for: 'model', reason: Δ, model: { ...silence, host: '' } },
      {
        for: 'model',
        reason: Δ,
        model: { type: 'retry', reason: SENTENCE, ms: 2000 }
      }
    ] as const) {
      expect(await escaped({ session: session(greek({ waiting })) })).toEqual(
        []
      );
    }
  });

  it('before a session, whatever is set up', async () => {
    for (const change of [
      { models: { status: 'loading' } },
      { models: { status: 'no-routes' } },
      { models: { status: 'no-model', hints: [], profiles: [] } },
      { models: { status: 'error', message: Δ } },
      { target: null },
      { target: { ...GREEK_TARGET, assertions: 0, holdouts: 0 } },
      { target: { ...GREEK_TARGET, assertions: 0, holdouts: 0, checks: [] } },
      {
        target: {
          ...GREEK_TARGET,
          assertions: 0,
          holdouts: 0,
          onlyTagged: true,
          checks: GREEK_CHECKS.slice(2, 4)
        }
      },
      { isolation: { ...ISOLATED, files: 'denied' } },
      { isolation: { ...ISOLATED, files: 'open', network: false } },
      { isolation: { ...ISOLATED, mode: 'sidecar', copies: [Δ] } }
    ] as const) {
      expect(await escaped(change)).toEqual([]);
    }
  });
});

describe('each sentence is shown in the language of the user', () => {
  const ALL = SENTENCES.length;

  it('where it refuses a target, fails the models, ends a session or is waited for', async () => {
    let n = 0;
    const found = await escapedOrMissing(1, ([message = '']) => {
      const end = outcome({ error: { code: 'other', message } });
      const model = { type: 'retry', reason: message, ms: 2000 } as const;
      const kernel = { for: 'kernel', reason: message } as const;
      const sessions = [
        ended(end, greek({ attempts: [] })),
        session(greek({ waiting: kernel, attempts: [] })),
        session(
          greek({ waiting: { ...kernel, for: 'model', model }, attempts: [] })
        )
      ];
      return {
        target: { ...GREEK_TARGET, refused: message },
        models: { status: 'error', message },
        session: sessions[n++ % 3]
      };
    });
    expect(found).toEqual([]);
  });

  it('as a hint how to set up a model', async () => {
    const found = await escapedOrMissing(ALL, hints => ({
      models: { status: 'no-model', hints, profiles: [] }
    }));
    expect(found).toEqual([]);
  });

  it('as a reason for what is not isolated', async () => {
    const found = await escapedOrMissing(ALL, reasons => ({
      isolation: { ...LIVE, reasons }
    }));
    expect(found).toEqual([]);
  });

  it.each(['denied', 'warnings', 'tampering'])(
    'among the remarks on an attempt: %s',
    async name => {
      const found = await escapedOrMissing(ALL, texts => {
        const ran = execution([RESULT], { [name]: texts });
        const attempts = [{ ...PLAIN, execution: ran }];
        return { session: session(greek({ attempts })) };
      });
      expect(found).toEqual([]);
    }
  );

  it('as a reason for a verdict', async () => {
    const found = await escapedOrMissing(ALL, reasons => {
      const verdict = {
        evaluator: Δ,
        evaluation: 'unknown' as const,
        score: null,
        reasons
      };
      const attempts = [{ ...PLAIN, verdict }];
      return { session: session(greek({ attempts })) };
    });
    expect(found).toEqual([]);
  });

  it('as a finding in the source', async () => {
    const found = await escapedOrMissing(ALL, texts => {
      const findings = texts.map((message, line) => ({
        line,
        code: 'syntax',
        message,
        severity: 'error' as const
      }));
      const attempts = [
        { ...PLAIN, execution: execution([RESULT], { findings }) }
      ];
      return { session: session(greek({ attempts })) };
    });
    expect(found).toEqual([]);
  });

  it.each([
    [
      'difference',
      (difference: string) => ({
        outcome: 'failed' as const,
        expected: VALUE,
        observed: VALUE,
        difference
      })
    ],
    [
      'error',
      (text: string) => ({ outcome: 'error' as const, error: error(text) })
    ],
    [
      'reason why it is not confirmed',
      (unconfirmed: string) => ({ confirmed: false, unconfirmed })
    ]
  ])('at a check, as its %s', async (_, of) => {
    const found = await escapedOrMissing(ALL, texts => {
      const assertions = texts.map((text, i) => ({
        ...RESULT,
        id: `${i}`,
        ...of(text)
      }));
      return {
        session: session(greek({ attempts: [{ ...PLAIN, assertions }] }))
      };
    });
    expect(found).toEqual([]);
  });

  it.each([
    ['failure', (text: string) => ({ failure: { code: Δ, message: text } })],
    [
      'cut',
      (text: string) =>
        ran({ status: 'cut', stop: 'timeout', stopMessage: text })
    ],
    ['error', (text: string) => ran({ status: 'error', error: error(text) })],
    [
      'scorer',
      (text: string) =>
        ran({
          scored: { value: null, goal: 'min', name: Δ, error: error(text) }
        })
    ],
    [
      'scorer that is not confirmed',
      (unconfirmed: string) =>
        ran({
          scored: {
            value: 1,
            goal: 'min',
            name: Δ,
            confirmed: false,
            unconfirmed
          }
        })
    ]
  ])('at an attempt and in its title: %s', async (_, of) => {
    const found = await escapedOrMissing(25, texts => {
      const attempts = texts.map((text, i) => ({
        ...attempt(i + 1, { title: Δ, prompt: [] }),
        ...of(text)
      }));
      return { session: session(greek({ attempts, phase: 'ended' })) };
    });
    expect(found).toEqual([]);
  });

  it('as a warning', async () => {
    const found = await escapedOrMissing(8, texts => {
      const check = { cellId: 'c', line: 1 };
      const warnings = texts.map((message, i) =>
        i < 4
          ? { message, check }
          : i < 6
            ? { message, attempt: 1 }
            : { message }
      );
      return { session: session(greek({ warnings, attempts: [] })) };
    });
    expect(found).toEqual([]);
  });

  it('as the reason why a draft is of no use', async () => {
    const found = await escapedOrMissing(ALL, texts => ({
      question: {
        id: 'd',
        subject: 'drafts',
        title: Δ,
        body: Δ,
        drafts: texts.map((problem, line) => ({
          line,
          source: Δ,
          problem
        })),
        choices: [{ id: 'no', label: Δ }]
      }
    }));
    expect(found).toEqual([]);
  });

  it.each([
    ['a cell', (why: string) => ({ type: 'cell', cell: CELL, why })],
    ['a cut', (stopMessage: string) => inFresh(execution([], { stopMessage }))],
    [
      'an error',
      (text: string) => inFresh(execution([], { error: error(text) }))
    ],
    ['a verdict', (text: string) => inFresh(execution([]), [text])],
    ['no run', (text: string) => new RefineError('kernel', text)]
  ] as [string, (text: string) => FreshResult | Error][])(
    'as the result of a fresh kernel: %s',
    async (_, of) => {
      const found = await escapedOrMissing(25, async texts => ({
        session: ended(PASSED, greek({ best: 3, attempts: [] })),
        cleanCheck: {
          status: 'failed',
          message: (
            await Promise.all(texts.map(text => saidOfFreshKernel(of(text))))
          ).join('\n')
        }
      }));
      jest.restoreAllMocks();
      expect(found).toEqual([]);
    }
  );
});

it('English is what the translator of JupyterLab gives', () => {
  const trans = nullTranslator.load('jupyterlab_refine');
  for (const template of [...TEMPLATES, '%1 %% %2', 'a %%%%refine cell']) {
    expect(english.__(template, ...DATA)).toBe(trans.__(template, ...DATA));
  }
});

/** The rest of an attempt that ran like this, with the title that the fold makes. */
function ran(change: Parameters<typeof execution>[1]) {
  const found = execution([], change);
  return { execution: found, title: failureTitle(found, null) };
}

const CELL = { id: 'c', label: Δ, source: Δ, tolerated: false };

function inFresh(
  found: ReturnType<typeof execution>,
  reasons: readonly string[] = []
): FreshResult {
  return {
    type: 'ran',
    passed: false,
    execution: found,
    held: { passed: 1, total: 1 },
    verdict: { evaluator: Δ, evaluation: 'fail', score: 0, reasons }
  } as FreshResult;
}

/** What the panel shows of a check in a fresh kernel that ended like this. */
async function saidOfFreshKernel(result: FreshResult | Error): Promise<string> {
  const checks = new CleanChecks(pseudo, () => undefined);
  const { signal } = new AbortController();
  jest
    .spyOn(FreshKernel.prototype, 'check')
    .mockImplementationOnce(() =>
      result instanceof Error ? Promise.reject(result) : Promise.resolve(result)
    );
  await checks.run(
    {
      state: session(greek({})),
      acceptance: { state: { attempt: 1 } as never },
      lifetime: signal,
      attempt: () => PLAIN
    },
    (request, candidate) =>
      checkInCleanKernel({
        startKernel: () => Promise.reject(new Error(Δ)),
        request,
        candidate,
        cells: [],
        trans: pseudo,
        signal,
        onPlan: () => undefined
      })
  );
  return checks.state?.message ?? '';
}
