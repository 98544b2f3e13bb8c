import { tooLong } from '../../../platform/http/parameters/too-long.ts';
import type { MetricImageLink } from './schema.ts';

const longest = { url: 255, url_text: 128 } as const;

/** It is shown as a link: nothing that runs, and no address without a host. */
function isWebAddress(address: string): boolean {
  return /^https?:$/.test(URL.parse(address)?.protocol ?? '');
}

/** What is wrong with the link of a picture, by the names it was sent under. */
export function linkProblems({ url, url_text }: MetricImageLink): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  const ofUrl = url
    ? (tooLong(url, longest.url) ?? (isWebAddress(url) ? undefined : 'must be a valid URL'))
    : undefined;
  const ofText = url_text ? tooLong(url_text, longest.url_text) : undefined;
  if (ofUrl) problems.url = [ofUrl];
  if (ofText) problems.url_text = [ofText];
  return problems;
}
