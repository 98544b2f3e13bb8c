import { isIP } from 'node:net';
import type { Egress, Sender } from './client.ts';
import { EgressRefused, readTarget } from './target.ts';

const maxLength = 2048;

/**
 * Rejects a URL to be stored if it is not a web URL, or is plainly an address of this machine or its network. Host
 * names are resolved when something is sent to them, because by then they may point elsewhere.
 */
export async function checkStoredUrl(egress: Egress, text: string, sender: Sender = 'anyone'): Promise<void> {
  if (text.length > maxLength) throw new EgressRefused('URI is invalid');
  const { host } = readTarget(text);
  if (isIP(host) !== 0 || host === 'localhost') await egress.checkUrl(text, { sender });
}
