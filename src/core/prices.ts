/** What a call costs. */
import type { ILanguageModel, ModelPrices, Usage } from './model';

/** Month of the list prices below. */
export const PRICES_AS_OF = '2025-08';

/** List prices, USD per million tokens, by host and model; a model's own prices come first. */
const LIST_PRICES: Readonly<
  Record<string, Readonly<Record<string, ModelPrices>>>
> = {
  'api.openai.com': {
    'gpt-4o': { input: 2.5, output: 10 },
    'gpt-4o-mini': { input: 0.15, output: 0.6 },
    'gpt-4.1': { input: 2, output: 8 },
    'gpt-4.1-mini': { input: 0.4, output: 1.6 },
    'gpt-4.1-nano': { input: 0.1, output: 0.4 },
    'gpt-5': { input: 1.25, output: 10 },
    'gpt-5-mini': { input: 0.25, output: 2 },
    'gpt-5-nano': { input: 0.05, output: 0.4 },
    o3: { input: 2, output: 8 },
    'o4-mini': { input: 1.1, output: 4.4 }
  }
};

/** Null when unknown: never taken for 0. */
export function pricesOf(
  model: Pick<ILanguageModel, 'identity' | 'prices'>
): ModelPrices | null {
  const { host, model: name, recorded } = model.identity;
  if (recorded) {
    return { input: 0, output: 0 };
  }
  const plain = name.replace(/-\d{4}-\d{2}-\d{2}$/, '');
  const listed = LIST_PRICES[host] ?? {};
  return model.prices ?? (Object.hasOwn(listed, plain) ? listed[plain] : null);
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
        cost: costOf(prices, usage.promptTokens, usage.completionTokens)
      };
}
