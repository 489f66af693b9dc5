/**
 * No sentence of ours is shown in English: the translator here writes what it
 * has seen in wide letters, all data is Greek, so that a Latin letter escaped.
 */
import {
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import type { StopReason } from '../../core/domain/outcome';
import type { AttemptPhase, SessionPhase } from '../../core/events/state';
import { TEMPLATES } from '../../core/messages/translated';
import { english } from '../../core/text/english';
import type { RefineView } from '../../tokens';
import { attempt, execution, HOLDOUT, ISOLATED } from './attempts';
import { renderPanel } from './renderPanel';
import {
  ended,
  IDENTITY,
  LIVE,
  outcome,
  REQUEST,
  session,
  TARGET,
  view
} from './views';

type Value = string | number;

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

/** Sentences of core, executors, kernel part and server; that each is recognized is tested beside the catalogue. */
const SENTENCES = TEMPLATES.filter(
  template => template.replace(/%\d/g, '').length >= 8 || !/%\d/.test(template)
)
  .filter((_, i) => i % 12 === 0)
  .map(template => english.__(template, ...DATA));

const MODEL = { ...IDENTITY, profile: Δ, model: Δ, host: Δ };

const MODELS: RefineView['models'] = {
  status: 'ready',
  identity: MODEL,
  profiles: [{ name: Δ, host: Δ, models: [Δ], defaultModel: Δ, demo: false }]
};

const GREEK_TARGET = { ...TARGET, path: Δ, label: Δ, prompt: Δ };

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

/** What of the panel is in Latin letters; every part of it that opens is opened first. */
async function escaped(change: Partial<RefineView>): Promise<string[]> {
  const shown = { target: GREEK_TARGET, models: MODELS, ...change };
  const preview = { request: GREEK_REQUEST, messages: PLAIN.prompt };
  const panel = renderPanel(view(shown), preview, pseudo);
  for (let i = 0; i < 10; i++) {
    const closed = panel.host.querySelectorAll<HTMLButtonElement>(
      'button[aria-expanded="false"], .jp-Refine-more button'
    )[i % 5];
    if (closed !== undefined) {
      await panel.click(closed.textContent ?? '');
    }
  }
  const texts: string[] = [];
  const walker = document.createTreeWalker(panel.host, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    texts.push(walker.currentNode.textContent ?? '');
  }
  for (const name of ['title', 'aria-label', 'placeholder']) {
    panel.host
      .querySelectorAll(`[${name}]`)
      .forEach(element => texts.push(element.getAttribute(name) ?? ''));
  }
  panel.unmount();
  expect(texts.join('')).toMatch(/[\uff21-\uff5a]/);
  return texts.filter(text => /[A-Za-z]/.test(text));
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
  'no-checks': true
};

describe('no English is shown', () => {
  it.each(Object.keys(STOPS) as StopReason[])(
    'at the end: %s',
    async stopReason => {
      for (const attempts of [0, 1]) {
        const passed = stopReason === 'passed';
        const error = { code: 'kernel-dead', message: SENTENCES[attempts] };
        const end = outcome({
          passed,
          stopReason,
          attempts,
          ...(passed ? { confirmed: { n: 0, of: 1 } } : { error })
        });
        const state = ended(end, greek({ best: 1 }));
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
    for (const waiting of [
      { for: 'human', reason: '' },
      { for: 'permission', reason: '' },
      { for: 'kernel', reason: 'waiting for the kernel: cell [3] is running' },
      {
        for: 'model',
        reason: Δ,
        model: { type: 'silence', host: Δ, model: Δ, ms: 300_000 }
      },
      {
        for: 'model',
        reason: Δ,
        model: { type: 'retry', reason: SENTENCES[0], ms: 2000 }
      }
    ] as const) {
      expect(await escaped({ session: session(greek({ waiting })) })).toEqual(
        []
      );
    }
  });

  it('before a session, whatever is set up', async () => {
    const models: readonly RefineView['models'][] = [
      { status: 'loading' },
      { status: 'no-routes' },
      { status: 'no-model', hints: SENTENCES, profiles: [] },
      ...SENTENCES.map(message => ({
        status: 'error' as const,
        message
      }))
    ];
    for (const status of models) {
      expect(await escaped({ models: status })).toEqual([]);
    }
    expect(await escaped({ target: null })).toEqual([]);
    expect(
      await escaped({ target: { ...GREEK_TARGET, assertions: 0, holdouts: 0 } })
    ).toEqual([]);
  });

  it('about what is not isolated', async () => {
    for (const isolation of [
      { ...LIVE, reasons: SENTENCES },
      { ...ISOLATED, files: 'denied', reasons: SENTENCES },
      { ...ISOLATED, files: 'open', network: false, reasons: SENTENCES },
      { ...ISOLATED, mode: 'sidecar', copies: [Δ] }
    ] as const) {
      expect(await escaped({ isolation })).toEqual([]);
    }
  });

  it.each([
    ['denials', { denied: SENTENCES }],
    ['warnings', { warnings: SENTENCES }],
    ['tampering', { tampering: SENTENCES }],
    [
      'findings',
      {
        findings: SENTENCES.map((message, i) => ({
          line: i,
          code: 'syntax',
          message,
          severity: 'error' as const
        }))
      }
    ]
  ])('of an attempt: %s', async (_, change) => {
    const ran = { ...PLAIN, execution: execution([RESULT], change) };
    const state = session(greek({ attempts: [ran], phase: 'running' }));
    expect(await escaped({ session: state })).toEqual([]);
  });

  it('of checks: what differs, was raised, or is not confirmed', async () => {
    const results = SENTENCES.flatMap((text, i) => [
      { ...RESULT, id: `p${i}`, confirmed: false, unconfirmed: text },
      {
        ...RESULT,
        id: `f${i}`,
        outcome: 'failed' as const,
        expected: VALUE,
        observed: VALUE,
        difference: text
      },
      {
        ...RESULT,
        id: `e${i}`,
        outcome: 'error' as const,
        error: { name: Δ, message: text, traceback: Δ }
      }
    ]);
    const ran = { ...PLAIN, assertions: results };
    const state = session(greek({ attempts: [ran] }));
    expect(await escaped({ session: state })).toEqual([]);
  });

  it('of titles, failures, verdicts, scores and cuts', async () => {
    const attempts = SENTENCES.map((text, i) => ({
      ...attempt(i + 1, { code: '', title: text, prompt: [] }),
      verdict: {
        evaluator: Δ,
        evaluation: 'unknown' as const,
        score: null,
        reasons: [text]
      },
      ...(i % 3 === 0 ? { failure: { code: 'other', message: text } } : {}),
      ...(i % 3 === 1
        ? {
            execution: execution([], {
              stopMessage: text,
              scored: {
                value: null,
                goal: 'min',
                name: Δ,
                error: { name: Δ, message: text, traceback: Δ }
              }
            })
          }
        : {})
    }));
    for (const one of attempts) {
      const state = session(greek({ attempts: [one], phase: 'ended' }));
      expect(await escaped({ session: state })).toEqual([]);
    }
  });

  it('of warnings, and of drafts of no use', async () => {
    for (const message of SENTENCES) {
      const warnings = [
        { message },
        { message, attempt: 1 },
        { message, check: { cellId: 'c', line: 1 } }
      ];
      const state = session(greek({ warnings, attempts: [] }));
      expect(await escaped({ session: state })).toEqual([]);
    }
    const drafts = SENTENCES.map((problem, line) => ({
      line,
      source: Δ,
      failsOn: null,
      problem
    }));
    const choices = [{ id: 'no', label: Δ }];
    const question = {
      id: 'd',
      subject: 'drafts' as const,
      title: Δ,
      body: Δ,
      drafts,
      choices
    };
    expect(await escaped({ question })).toEqual([]);
  });
});
