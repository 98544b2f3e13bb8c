import type { Services } from '../../access/services.ts';
import { askAgain, sendResetTo } from '../users/public.ts';
import { SignInRefused } from './refused.ts';

/** What can be asked for at an address, without being signed in. */
export type AccountEmail = 'password' | 'confirmation';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'sessions.email': { kind: AccountEmail; email: string };
  }
}

const perCaller = { count: 10, period: 60_000 };
const perAddress = { count: 5, period: 3_600_000 };
const longestAddress = 320;

/**
 * Has an email sent to an address, if it is of an account that is to have one. Whoever asks cannot tell: all that happens
 * meanwhile is that the question is put down.
 */
export async function requestAccountEmail(
  services: Services,
  kind: AccountEmail,
  email: string,
  ip: string,
): Promise<void> {
  const { limits, queue, db } = services;
  if ((await limits.count('asked_letters', ip, perCaller)).exceeded) {
    throw new SignInRefused('Too many attempts from your address. Wait a minute, then try again.');
  }
  const address = email.trim().toLowerCase();
  if (address === '' || address.length > longestAddress) return;
  // Whose box is flooded by others' questions is told nothing new after a few.
  if ((await limits.count(`asked_${kind}_letters`, address, perAddress)).exceeded) return;
  await db.write((trx) => queue.enqueue(trx, 'sessions.email', { kind, email: address }));
}

export async function sendAccountEmail(
  services: Services,
  { kind, email }: { readonly kind: AccountEmail; readonly email: string },
): Promise<void> {
  await (kind === 'password' ? sendResetTo(services, email) : askAgain(services, email));
}
