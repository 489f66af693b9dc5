/** @jest-environment node */
import { job } from './jobs';
import { hasSecrets, seal, sealedJob } from '../sealing';

const KEY = 'ab'.repeat(256);
const holdout = {
  cellId: 'h',
  index: 2,
  role: 'holdout',
  source: 'assert canary',
  statements: 1
} as const;

it('seals each text with a key of its own', () => {
  const [first, second] = [
    seal({ a: 'canary' }, KEY),
    seal({ a: 'canary' }, KEY)
  ];
  expect(first.to).toBe(KEY);
  expect(first.from).toMatch(/^[0-9a-f]{512}$/);
  expect(first.from).not.toBe(second.from);
  expect(first.text).not.toBe(second.text);
  expect(Buffer.from(first.text, 'hex').toString('latin1')).not.toContain(
    'canary'
  );
});

it('takes out of a job what the kernel must not hold', () => {
  const one = {
    ...job('x = 1', 'assert x'),
    holdouts: [holdout],
    scorer: { cellId: 's', index: 3, source: 'canary' },
    hiddenNames: ['canary']
  };
  const sealed = sealedJob(one, KEY);
  expect(JSON.stringify(sealed)).not.toContain('canary');
  expect(sealed).toMatchObject({ candidate: 'x = 1', sealed: { to: KEY } });
});

it('sends no job with secrets unsealed', () => {
  const plain = job('x = 1', 'assert x');
  expect(sealedJob(plain, null)).not.toHaveProperty('sealed');
  for (const secret of [
    { holdouts: [holdout] },
    { scorer: { cellId: 's', index: 3, source: '1' } },
    { hiddenNames: ['x'] }
  ]) {
    expect(hasSecrets({ ...plain, ...secret })).toBe(true);
    expect(() => sealedJob({ ...plain, ...secret }, null)).toThrow('must not');
  }
});
