/** @jest-environment node */
import type { TargetView } from '../../../tokens';
import { assembleView } from '../view';

const refused = 'This cell is locked, so Refine does not edit it.';

const noticeOf = (notice: string | null) =>
  assembleView({
    target: { cellId: 'a', refused } as TargetView,
    models: { status: 'loading' },
    isolation: null,
    session: null,
    waiting: [],
    history: null,
    notice,
    noticeTone: 'problem'
  }).notice;

it('says a refusal with the target, not once more as a notice', () => {
  expect(noticeOf(refused)).toBeNull();
  expect(noticeOf('Open a notebook first.')).toBe('Open a notebook first.');
});
