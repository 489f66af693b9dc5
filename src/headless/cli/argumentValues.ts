/** Values of arguments that several commands have. */
import { one, type Given } from './argumentTokens';
import { UsageError } from './usageError';

const MOST = 1_000_000;

/** @throws UsageError for anything but a whole number from 1. */
export function wholeNumber(
  given: Given,
  flag: string,
  fallback: number
): number {
  const text = one(given, flag);
  const value = text === null ? fallback : Number(text);
  if (!Number.isInteger(value) || value < 1 || value > MOST) {
    throw new UsageError(
      `--${flag} ${text || '""'}: it must be a whole number from 1 to ${MOST}.`
    );
  }
  return value;
}

/** Address without query and path to a page; a token may stand in the query, as Jupyter prints it. */
export function readServer(
  text: string,
  token: string | null
): { readonly url: string; readonly token: string } {
  if (!isHttpUrl(text)) {
    throw new UsageError(
      `--server ${text}: it must be a URL such as http://localhost:8888/.`
    );
  }
  const url = new URL(text);
  const inQuery = url.searchParams.get('token');
  const path = url.pathname.replace(/(lab|tree|notebooks)(\/.*)?$/, '');
  return { url: `${url.origin}${path}`, token: token ?? inQuery ?? '' };
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
