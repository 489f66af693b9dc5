/** What is read from a model's answer. */
import type { Frame } from '../part/part';
import type { Objection } from '../domain/outcome';
import type { Around } from './pasted';
import { joined } from '../text/markdown';

export type ParseOptions = {
  /** The kernel's language, lower case: `python`. */
  readonly language: string;
  /** For a markdown target the whole answer is the candidate. */
  readonly kind: 'code' | 'markdown';
  /** Names that the cell must define: they distinguish the solution from its examples. */
  readonly needs?: readonly string[];
  /** The program that an answer of changes (a diff) refers to. */
  readonly previous?: string;
  /** What the prompt holds beside the task: an answer that repeats it is cut. */
  readonly around?: Omit<Around, 'needs'>;
  /** What of the cell an answer is to keep; see `leftOut.ts`. */
  readonly keeps?: {
    readonly cell: string;
    readonly names: readonly string[];
    /** The examples in its docstrings as well. */
    readonly examples: boolean;
  };
  /** The candidate is a part of this cell. */
  readonly frame?: Frame;
  /** True where the prompt let the model object to a check; else a block of that label is prose. */
  readonly disputes?: boolean;
};

export type ParsedAnswer = {
  readonly thoughts: string;
  /** The candidate; empty when the answer holds none. */
  readonly code: string;
  /** True when the candidate's fence was closed; false for bare code, JSON, prose and a fence left open. */
  readonly closed: boolean;
  /** What of the answer's code is not in the candidate: `3 pasted checks`. */
  readonly leftOut?: string;
  /** Names that the answer left out and that were put back. */
  readonly kept?: readonly string[];
  /** The comment that stands for code which is missing in a function. */
  readonly gap?: string;
  /** The last objection to a check that the answer holds. */
  readonly dispute?: Objection;
};

/** What to append to what was shown before; with `reset` all that is shown. */
export type ParseDelta = {
  readonly thoughts: string;
  readonly code: string;
  readonly reset?: boolean;
};

/** A byte order mark at the start is no part of the text; Python takes it for a syntax error. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF+/, '');
}

/** Thoughts of two sources, each a paragraph of its own. */
export function joinThoughts(a: string, b: string): string {
  return joined([a.trim(), b.trim()]);
}
