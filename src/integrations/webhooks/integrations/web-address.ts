import { EgressRefused } from '../../../platform/egress/client.ts';
import { readTarget } from '../../../platform/egress/target.ts';

/** Returns why a URL cannot be linked to, if anything. */
export function webAddressProblem(text: string): string | undefined {
  try {
    const { url } = readTarget(text);
    return url.username === '' && url.password === '' ? undefined : 'must not contain credentials';
  } catch (error) {
    if (error instanceof EgressRefused) return `is blocked: ${error.message}`;
    throw error;
  }
}
