import type { Services } from '../../access/services.ts';
import { resendConfirmation, sendResetTo } from '../users/public.ts';
import { SignInRefused } from './refused.ts';

/** Kinds of e-mails that can be requested without being signed in. */
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
 * Requests an e-mail to an address, which is sent only if a matching account exists. The response and its timing are
 * the same for all addresses: the request only enqueues a job.
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
  // Limits the e-mails that others can cause to be sent to an address.
  if ((await limits.count(`asked_${kind}_letters`, address, perAddress)).exceeded) return;
  await db.write((trx) => queue.enqueue(trx, 'sessions.email', { kind, email: address }));
}

export async function sendAccountEmail(
  services: Services,
  { kind, email }: { readonly kind: AccountEmail; readonly email: string },
): Promise<void> {
  await (kind === 'password' ? sendResetTo(services, email) : resendConfirmation(services, email));
}
