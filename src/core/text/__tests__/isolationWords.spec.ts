/** @jest-environment node */
import { english } from '../english';
import type { Isolation } from '../../domain/execution';
import {
  isolationSentences,
  isolationSummary,
  openSentences
} from '../isolationWords';

const SEALED: Isolation = {
  mode: 'fork',
  memory: true,
  files: 'overlay',
  network: true,
  reasons: []
};
const OPEN: Isolation = {
  ...SEALED,
  files: 'open',
  network: false,
  reasons: ['No user namespaces.']
};
const LIVE: Isolation = { ...OPEN, mode: 'live', memory: false };

it.each<[Isolation, string]>([
  [SEALED, 'isolated: memory, files, network'],
  [{ ...SEALED, files: 'denied' }, 'isolated: memory, files, network'],
  [OPEN, 'isolated: memory; not: files, network'],
  [{ ...OPEN, network: true }, 'isolated: memory, network; not: files'],
  [LIVE, 'not isolated']
])('%# sums up what is kept', (isolation, text) => {
  expect(isolationSummary(isolation, english)).toBe(text);
});

const COPY =
  'An attempt runs in a copy of the kernel. Your variables do not change.';
const WRITES = 'Files that it writes or deletes are changed for real.';
const REACHES = 'An attempt can reach the network.';
const SECOND =
  'Attempts run in a second kernel, with copies of the variables that they use.';

it.each<[Isolation, readonly string[], readonly string[]]>([
  [
    SEALED,
    [
      COPY,
      'Files that it writes are discarded.',
      'An attempt cannot reach the network.'
    ],
    []
  ],
  [
    OPEN,
    [COPY, WRITES, REACHES, 'No user namespaces.'],
    [WRITES, REACHES, 'No user namespaces.']
  ],
  [
    { ...SEALED, mode: 'sidecar', files: 'denied' },
    [SECOND, 'It cannot write files.', 'An attempt cannot reach the network.'],
    [SECOND]
  ]
])('%# describes all of it, or only what is open', (isolation, all, open) => {
  expect(isolationSentences(isolation, english)).toEqual(all);
  expect(openSentences(isolation, english)).toEqual(open);
});

it('describes the live kernel', () => {
  const sentences = openSentences(LIVE, english);
  expect(sentences[0]).toContain('can change or delete your variables');
});
