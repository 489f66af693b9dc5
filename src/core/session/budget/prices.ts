/** What a call costs. */
import type {
  ILanguageModel,
  ModelPrices,
  Usage,
  ModelIdentity
} from '../../domain/model';

/**
 * The model's own prices, which its profile gives, else the vendor's list
 * prices; null when unknown, which is never taken for 0.
 */
export function pricesOf({
  identity,
  prices
}: Pick<ILanguageModel, 'identity' | 'prices'>): ModelPrices | null {
  return identity.recorded
    ? { input: 0, output: 0 }
    : (prices ?? listPrices(identity));
}

/** Cost of tokens, USD. */
export function costOf(
  prices: ModelPrices,
  promptTokens: number,
  completionTokens: number
): number {
  return (promptTokens * prices.input + completionTokens * prices.output) / 1e6;
}

/** `usage` with its cost, where the provider's adapter left it open and the price is known. */
export function pricedUsage(usage: Usage, prices: ModelPrices | null): Usage {
  return usage.cost !== null || prices === null
    ? usage
    : {
        ...usage,
        cost: costOf(prices, usage.promptTokens, usage.completionTokens),
        ...(prices.listed === undefined ? {} : { listed: prices.listed })
      };
}

/** Taken from github.com/simonw/llm-prices (723ef0b), which copies the pages below, and compared with a second copy of each. */
const DATE = '2026-08-05';

type Table = Readonly<
  Record<string, readonly [inputPrice: number, outputPrice: number]>
>;

/** https://developers.openai.com/api/docs/pricing */
const OPENAI: Table = {
  'gpt-4o': [2.5, 10],
  'gpt-4o-mini': [0.15, 0.6],
  'gpt-4.1': [2, 8],
  'gpt-4.1-mini': [0.4, 1.6],
  'gpt-4.1-nano': [0.1, 0.4],
  'o3-mini': [1.1, 4.4],
  'o4-mini': [1.1, 4.4],
  'gpt-5': [1.25, 10],
  'gpt-5-mini': [0.25, 2],
  'gpt-5-nano': [0.05, 0.4],
  'gpt-5.1': [1.25, 10],
  'gpt-5.2': [1.75, 14]
};

/** https://platform.claude.com/docs/en/about-claude/pricing */
const ANTHROPIC: Table = {
  'claude-3-haiku-20240307': [0.25, 1.25],
  'claude-3-5-haiku-20241022': [0.8, 4],
  'claude-haiku-4-5': [1, 5],
  'claude-haiku-4-5-20251001': [1, 5],
  'claude-opus-4-5': [5, 25],
  'claude-opus-4-6': [5, 25]
};

/** https://ai.google.dev/gemini-api/docs/pricing, paid tier, text */
const GOOGLE: Table = {
  'gemini-2.0-flash': [0.1, 0.4],
  'gemini-2.5-flash': [0.3, 2.5],
  'gemini-2.5-flash-lite': [0.1, 0.4],
  'gemini-3.5-flash': [1.5, 9]
};

const TABLES: ReadonlyMap<string, Table> = new Map([
  ['api.openai.com', OPENAI],
  ['api.anthropic.com', ANTHROPIC],
  ['generativelanguage.googleapis.com', GOOGLE]
]);

/** Null for any other model or host: unknown is never 0. */
function listPrices({
  host,
  model
}: Pick<ModelIdentity, 'host' | 'model'>): ModelPrices | null {
  const table = TABLES.get(host) ?? {};
  const listed = Object.hasOwn(table, model) ? table[model] : undefined;
  if (!listed) {
    return null;
  }
  const [input, output] = listed;
  return { input, output, listed: DATE };
}
