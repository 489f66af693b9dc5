/** What a call costs. */
import { listPrices } from './listPrices';
import type { ILanguageModel, ModelPrices, Usage } from '../../domain/model';

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
