/** @jest-environment node */
import fc from 'fast-check';
import { fold, initialState } from '../fold';
import { mergeDeltas, type DeltaEvent } from '../merge';

const delta = (parts: Partial<DeltaEvent>): DeltaEvent => ({
  type: 'candidate-delta',
  session: 's',
  at: 1,
  attempt: 1,
  thoughts: '',
  code: '',
  ...parts
});

it.each([
  [{ code: 'a' }, { code: 'b', reset: true }, { code: 'b', reset: true }],
  [
    { code: 'a', thoughts: 't' },
    { code: 'b', resetCode: true },
    { code: 'b', thoughts: 't', resetCode: true }
  ],
  [{ code: 'a', reset: true }, { code: 'b' }, { code: 'ab', reset: true }],
  [
    { code: 'a', resetCode: true },
    { code: 'b' },
    { code: 'ab', resetCode: true }
  ]
])('merges %j and %j', (first, second, merged) => {
  expect(mergeDeltas(delta(first), delta(second))).toEqual(delta(merged));
});

it('folds to what the two events fold to', () => {
  const any = fc
    .record(
      {
        code: fc.string({ maxLength: 3 }),
        thoughts: fc.string({ maxLength: 3 }),
        reset: fc.constant(true),
        resetCode: fc.constant(true)
      },
      { requiredKeys: ['code', 'thoughts'] }
    )
    .map(delta);
  const started = fold(initialState('s'), {
    type: 'attempt-start',
    session: 's',
    at: 1,
    attempt: 1,
    prompt: []
  });
  fc.assert(
    fc.property(any, any, any, (before, first, second) => {
      const state = fold(started, before);
      expect(fold(state, mergeDeltas(first, second))).toEqual(
        fold(fold(state, first), second)
      );
    })
  );
});
