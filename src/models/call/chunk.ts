/** Reads one chunk of a streamed chat completion, in the shape that our server gives to all providers' (`event.py`). */
import * as z from 'zod';
import type { ReportedUsage } from './usage';

const text = z.string().nullish();

/** A larger count is no count of one call; nor is a negative one, a text or NaN. */
const MAX_TOKENS = 10_000_000;
const tokens = z.number().int().min(0).max(MAX_TOKENS).nullish().catch(null);

const chunkSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: text,
            refusal: text,
            reasoning_content: text
          })
          .nullish(),
        finish_reason: text
      })
    )
    .nullish(),
  usage: z
    .looseObject({
      prompt_tokens: tokens,
      completion_tokens: tokens
    })
    .nullish()
    .catch(null),
  refine: z.looseObject({ notice: text }).nullish().catch(null)
});

export type ChunkParts = {
  readonly text: string;
  readonly reasoning: string;
  /** What the model says instead of an answer. */
  readonly refusal: string;
  /** The provider's own word; null while the answer continues. */
  readonly finish: string | null;
  readonly usage: ReportedUsage | null;
  /** What our server did to the answer, for the user; null: nothing. */
  readonly notice: string | null;
};

/** Null for something that is no chunk of a chat completion. */
export function readChunk(value: unknown): ChunkParts | null {
  const parsed = chunkSchema.safeParse(value);
  if (!parsed.success) {
    return null;
  }
  const { choices, usage, refine } = parsed.data;
  const choice = choices?.[0];
  const delta = choice?.delta;
  return {
    text: delta?.content ?? '',
    refusal: delta?.refusal ?? '',
    reasoning: delta?.reasoning_content ?? '',
    finish: choice?.finish_reason ?? null,
    usage: usage
      ? {
          promptTokens: usage.prompt_tokens ?? null,
          completionTokens: usage.completion_tokens ?? null
        }
      : null,
    notice: refine?.notice ?? null
  };
}

/** The provider's finish reason in our words. */
export function finishReason(
  finish: string | null
): 'stop' | 'length' | 'other' {
  switch (finish) {
    case null:
    case 'stop':
    case 'eos':
    case 'end_turn':
      return 'stop';
    case 'length':
    case 'max_tokens':
      return 'length';
    default:
      return 'other';
  }
}
