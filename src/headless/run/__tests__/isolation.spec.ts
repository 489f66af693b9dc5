/** @jest-environment node */
import type { Isolation } from '../../../core/domain/execution';
import { allowWrites } from '../isolation';

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
        text: () => Promise.resolve(''),
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
      'Attempts write files and reach the network for real here. No user namespaces. Run them anyway?'
    ]
  });
});

it('asks as well where a second kernel cannot keep files', async () => {
  const { questions } = await asked({ ...MEMORY_ONLY, mode: 'sidecar' }, true);
  expect(questions).toHaveLength(1);
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
