/** Sentences of the core are the panel's to translate. */
import {
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { ATTEMPT_2 } from '../../__tests__/attempts';
import { renderPanel, type RenderedPanel } from '../../__tests__/renderPanel';
import { ended, outcome, session, view } from '../../__tests__/views';

const trans = nullTranslator.load('jupyterlab_refine');

const plain = trans.__.bind(trans);

/** Another language: the same words in quotes. */
const quoted = Object.assign(Object.create(trans), {
  __: (text: string, ...values: readonly unknown[]) =>
    `«${plain(text, ...values)}»`
}) as TranslationBundle;

let panel: RenderedPanel | null = null;

function show(change: Parameters<typeof view>[0]) {
  panel = renderPanel(view(change), undefined, quoted);
  return panel.text();
}

afterEach(() => {
  panel?.unmount();
  panel = null;
});

describe('the panel translates', () => {
  it('why an attempt had nothing to run', () => {
    const failure = {
      code: 'no-code',
      message: 'The answer contained no code.'
    };
    expect(
      show({
        session: session({
          attempts: [{ ...ATTEMPT_2, code: '', assertions: [], failure }]
        })
      })
    ).toContain('«The answer contained no code.»');
  });

  it('the reasons of a verdict', () => {
    const verdict = {
      evaluator: 'judge',
      evaluation: 'unknown',
      score: null,
      reasons: ['The judge’s answer could not be read.', 'Another.']
    } as const;
    const text = show({
      session: session({
        attempts: [{ ...ATTEMPT_2, assertions: [], execution: null, verdict }]
      })
    });
    expect(text).toContain('«The judge’s answer could not be read.»');
    expect(text).toContain('Another.');
    expect(text).not.toContain('«Another.»');
  });

  it('warnings: of the session, an attempt and a check', () => {
    const message = 'The scorer returned no number.';
    const text = show({
      session: session({
        warnings: [
          { message },
          { attempt: 2, message },
          { message, check: { cellId: 'c', line: 1 } }
        ]
      })
    });
    expect(text.split(`«${message}»`)).toHaveLength(4);
  });

  it('what ended a session, with attempts and without', () => {
    const message =
      'The kernel is not running. Start it, run the cells above, then try again.';
    const error = { code: 'kernel-dead', message };
    const end = (attempts: number) =>
      ended(outcome({ stopReason: 'kernel-died', attempts, error }), {
        attempts: [{ ...ATTEMPT_2, attempt: attempts }]
      });
    expect(show({ session: end(2) })).toContain(`«${message}»`);
    panel?.unmount();
    expect(show({ session: end(0) })).toContain(`«${message}»`);
  });

  it('why a draft is of no use', () => {
    const problem = 'It passes whatever the cell does.';
    const draft = { line: 1, source: 'assert f', failsOn: null, problem };
    expect(
      show({
        question: {
          id: 'd',
          subject: 'drafts',
          title: 'Drafts',
          body: '',
          drafts: [draft],
          choices: [{ id: 'dismiss', label: 'Dismiss' }]
        }
      })
    ).toContain(`«${problem}»`);
  });
});
