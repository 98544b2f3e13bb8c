import { isIP } from 'node:net';
import type { Egress, Sender } from './client.ts';
import { EgressRefused, readTarget } from './target.ts';

const longest = 2048;

/**
 * Refuses an address to keep for later that is none on the web, or is plainly one of this machine or its network. Names
 * are looked up when something is sent to them, for by then they may mean another machine.
 */
export async function checkWritten(egress: Egress, text: string, sender: Sender = 'anyone'): Promise<void> {
  if (text.length > longest) throw new EgressRefused('URI is invalid');
  const { host } = readTarget(text);
  if (isIP(host) !== 0 || host === 'localhost') await egress.checkUrl(text, { sender });
}
