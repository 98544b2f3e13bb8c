import { EgressRefused } from '../../../platform/egress/client.ts';
import { readTarget } from '../../../platform/egress/target.ts';

/** What keeps an address from being one that people can be led to, if anything. */
export function webAddressProblem(text: string): string | undefined {
  try {
    const { url } = readTarget(text);
    return url.username === '' && url.password === '' ? undefined : 'must not have a password in it';
  } catch (error) {
    if (error instanceof EgressRefused) return `is blocked: ${error.message}`;
    throw error;
  }
}
