/** Requests for the tests of the core. */
import type { CheckCell, RefineRequest } from '../domain/request';
import { settingsSchema, type RefineOptions } from '../settings';

export type RequestParts = Partial<Omit<RefineRequest, 'options'>> & {
  readonly options?: Partial<RefineOptions>;
  /** Source of the target. */
  readonly source?: string;
};

/** A request to write `fibonacci`, with one assertion cell of two statements. */
export function makeRequest(parts: RequestParts = {}): RefineRequest {
  const { source, options, ...rest } = parts;
  return {
    session: 'session-1',
    path: 'fibonacci.ipynb',
    language: 'python',
    target: { cellId: 'target', index: 1, kind: 'code', source: source ?? '' },
    prompt: 'Write fibonacci(n).',
    promptOrigin: 'markdown',
    assertions: [
      checkCell('assert fibonacci(1) == 1\nassert fibonacci(10) == 55', 2)
    ],
    holdouts: [],
    context: { cells: [], cellsLeftOut: 0, variables: [], values: 'types' },
    ...rest,
    options: { ...settingsSchema.parse({}), ...options }
  };
}

export function checkCell(
  source: string,
  statements: number,
  role: 'assertion' | 'holdout' = 'assertion'
): CheckCell {
  return {
    cellId: role === 'assertion' ? 'check' : 'hidden',
    index: 2,
    role,
    source,
    statements
  };
}

/** A text cell without text. */
export const PROSE = {
  cellId: 'target',
  index: 1,
  kind: 'markdown',
  source: ''
} as const;
