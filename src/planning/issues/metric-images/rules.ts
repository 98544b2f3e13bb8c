import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import type { MetricImageLink } from './schema.ts';

const maxLengths = { url: 255, url_text: 128 } as const;

/** The address is rendered as a link, so it must be http(s), and not a script or an address without a host. */
function isWebAddress(address: string): boolean {
  return /^https?:$/.test(URL.parse(address)?.protocol ?? '');
}

/** Validation errors of the link of an image, by parameter name. */
export function linkProblems({ url, url_text }: MetricImageLink): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  const ofUrl = url
    ? (lengthProblem(url, maxLengths.url) ?? (isWebAddress(url) ? undefined : 'must be a valid URL'))
    : undefined;
  const ofText = url_text ? lengthProblem(url_text, maxLengths.url_text) : undefined;
  if (ofUrl) problems.url = [ofUrl];
  if (ofText) problems.url_text = [ofText];
  return problems;
}
