/** @jest-environment node */
import type { Isolation } from '../../core/execution';
import { allowWrites, isolationText } from '../isolation';

const MEMORY_ONLY: Isolation = {
  mode: 'fork',
  memory: true,
  files: 'open',
  network: false,
  reasons: ['No user namespaces.']
};
const SEALED: Isolation = {
  ...MEMORY_ONLY,
  files: 'overlay',
  network: true,
  reasons: []
};
const signal = new AbortController().signal;

async function asked(isolation: Isolation, answer: boolean, allowed = false) {
  const questions: string[] = [];
  const done = allowWrites(
    isolation,
    { allowWrites: allowed },
    {
      signal,
      questions: {
        canAsk: answer,
        yes: question => {
          questions.push(question);
          return Promise.resolve(answer);
        }
      }
    }
  );
  return {
    refusal: await done.then(
      () => null,
      (error: unknown) => error
    ),
    questions
  };
}

it('asks before attempts write for real', async () => {
  expect(await asked(MEMORY_ONLY, true)).toEqual({
    refusal: null,
    questions: [
      'Attempts write files and reach the network for real here. No user namespaces. Run them all the same?'
    ]
  });
});

it('refuses it with the way out where nobody allows it', async () => {
  const { refusal } = await asked({ ...MEMORY_ONLY, network: true }, false);
  expect(refusal).toMatchObject({
    kind: 'kernel',
    message:
      'Nothing was run: Attempts write files for real here. No user namespaces. Run again with --allow-writes to allow it.'
  });
});

it.each<[string, Isolation, boolean]>([
  ['sealed', SEALED, false],
  ['allowed by a flag', MEMORY_ONLY, true],
  [
    'live, which was asked for already',
    { ...MEMORY_ONLY, mode: 'live', memory: false },
    false
  ]
])('does not ask where attempts are %s', async (_, isolation, allowed) => {
  expect(await asked(isolation, false, allowed)).toEqual({
    refusal: null,
    questions: []
  });
});

it.each<[Isolation, string]>([
  [SEALED, 'isolated: memory, files, network'],
  [
    MEMORY_ONLY,
    'isolated: memory; attempts write files for real; attempts can reach the network'
  ],
  [{ ...MEMORY_ONLY, memory: false }, 'attempts are not isolated']
])('%# says what is isolated and what is not', (isolation, text) => {
  expect(isolationText(isolation)).toBe(text);
});
