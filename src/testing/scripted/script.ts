/**
 * What the scripted server answers. Plain JSON, so that a test in another
 * process (browser, Python) can write it to a file or post it.
 */
import * as z from 'zod';

const tokens = z.number().int().min(0);

/** What goes wrong with an answer. `afterTokens` counts the tokens sent before it happens. */
export const faultSchema = z.discriminatedUnion('type', [
  /** An HTTP error with the body that providers send for it. `retryAfter`: seconds or an HTTP date. */
  z.strictObject({
    type: z.literal('status'),
    status: z.number().int().min(400).max(599),
    retryAfter: z.union([z.string(), z.number()]).optional(),
    message: z.string().optional(),
    code: z.string().optional()
  }),
  /** Status 200 with a page of HTML, as a proxy that lost its session sends. */
  z.strictObject({ type: z.literal('login-page') }),
  /** Nothing more is sent, and the connection stays open; with `headers: false` not even a status. */
  z.strictObject({
    type: z.literal('stall'),
    afterTokens: tokens.default(0),
    headers: z.boolean().default(true)
  }),
  /** A model that loads first: nothing for `delayMs`, then the answer. No fault of the provider. */
  z.strictObject({ type: z.literal('slow'), delayMs: z.number().min(0) }),
  /** The stream ends early: by a reset, or (`clean`) as if it were over, without finish reason. */
  z.strictObject({
    type: z.literal('cut'),
    afterTokens: tokens.default(0),
    clean: z.boolean().default(false)
  }),
  /** 400 `context_length_exceeded`. */
  z.strictObject({ type: z.literal('context-length') }),
  /** 400 as long as the request has one of these parameters, then the answer. */
  z.strictObject({
    type: z.literal('reject'),
    parameters: z.array(z.string()).min(1)
  }),
  /** One line of the stream is not JSON. */
  z.strictObject({
    type: z.literal('malformed'),
    afterTokens: tokens.default(0)
  }),
  /** An error object inside the stream, which then ends. */
  z.strictObject({
    type: z.literal('stream-error'),
    afterTokens: tokens.default(0),
    error: z.unknown()
  })
]);

export type Fault = Readonly<z.infer<typeof faultSchema>>;

export const answerSchema = z.strictObject({
  /** Only for a request one of whose messages contains this text. */
  match: z.string().optional(),
  /** How many requests it answers; 0: any number. */
  times: z.number().int().min(0).default(1),
  text: z.string().default(''),
  /** Sent before the text. */
  reasoning: z.string().default(''),
  /** 0: as fast as it goes. A token is four characters. */
  tokensPerSecond: z.number().min(0).default(0),
  /** null: none is sent. */
  finishReason: z.string().nullable().default('stop'),
  /** null: none is sent; without it, a token is four characters. */
  usage: z
    .strictObject({ prompt: tokens, completion: tokens })
    .nullable()
    .optional(),
  /** Bytes a write; 0: one write an event. Small numbers split characters and lines. */
  bytesPerWrite: z.number().int().min(0).default(0),
  /** Each line of a stream ends with a comment: the time of its write, in ms since the epoch. */
  stamped: z.boolean().default(false),
  fault: faultSchema.optional()
});

/** An answer as a test writes it. */
export type ScriptedAnswer = Readonly<z.input<typeof answerSchema>>;
/** The same with every default filled in. */
export type Answer = Readonly<z.infer<typeof answerSchema>>;

export const scriptSchema = z.strictObject({
  /** Ids that `/v1/models` lists. */
  models: z.array(z.string()).default(['scripted-model']),
  /** With a list, any other model is answered with 404 `model_not_found`. */
  onlyListedModels: z.boolean().default(false),
  /** When set, a request without `Authorization: Bearer <key>` is answered with 401. */
  key: z.string().optional(),
  /** The first that still has `times` left and that matches answers. */
  answers: z.array(answerSchema).default([])
});

export type ScriptInput = Readonly<z.input<typeof scriptSchema>>;
export type Script = Readonly<z.infer<typeof scriptSchema>>;
