/** A model that is called from here, without our server: for the command line and other Node programs. */
import type { ILanguageModel, ModelPrices } from '../core/domain/model';
import { ChatModel, type ChatModelOptions } from './call/chatModel';

export type DirectModelOptions = ChatModelOptions & {
  /** With the version part: `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  /** Null or empty: no key is sent, as local servers want it. */
  readonly apiKey: string | null;
  readonly model: string;
  /** Default `direct`. */
  readonly profile?: string;
  readonly prices?: ModelPrices | null;
};

/** @throws TypeError when `baseUrl` is no absolute URL. */
export function directModel(options: DirectModelOptions): ILanguageModel {
  const { baseUrl, apiKey, model, profile, prices, ...rest } = options;
  return new ChatModel(
    {
      identity: {
        profile: profile ?? 'direct',
        model,
        host: new URL(baseUrl).host,
        recorded: false
      },
      through: 'direct',
      baseURL: baseUrl,
      apiKey: apiKey || null,
      headers: {},
      fetch: (url, init) => fetch(url, init),
      prices: prices ?? null
    },
    rest
  );
}
