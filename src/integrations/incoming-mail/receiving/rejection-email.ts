import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { digest } from '../../../platform/secrets/tokens.ts';
import { composeEmail, messageId } from '../../mail/public.ts';
import { reachedRejectionLimit, recordRejection } from '../store.ts';
import type { ReceivedMail } from '../tables.ts';

/** Maximum number of rejection e-mails per address and hour, because senders can be forged or be auto-responders. */
const maxAnswers = 5;
const hourMs = 60 * 60 * 1000;

interface Refusal {
  readonly received: Pick<ReceivedMail, 'id'>;
  /** The recipient; null if unknown or if the message must not be answered. */
  readonly to: string | null;
  readonly reason: string;
  /** Message ID of the rejected message. */
  readonly answers: string | null;
}

/** Marks a rejected message as processed and tells its sender why. The e-mail quotes nothing of the message. */
export async function rejectMessage(
  { db, queue, externalUrl, log }: Services,
  { received, to, reason, answers }: Refusal,
  end: (trx: Writer) => Promise<void>,
): Promise<void> {
  log.info({ received: received.id, reason }, 'rejected a message');
  const sender = to === null ? null : digest(to.toLowerCase());
  const [, thread] = /^<([^<>\s]{1,250})>$/.exec(answers ?? '') ?? [];
  await db.write(async (trx) => {
    await end(trx);
    if (to === null || sender === null || !isAddress(to)) return;
    if (await reachedRejectionLimit(trx, sender, maxAnswers, Date.now() - hourMs)) return;
    await recordRejection(trx, received.id, sender);
    const message = composeEmail({
      to,
      subject: 'Your message was rejected',
      says: ['Your message could not be processed.', reason],
      reason: `You get this because you sent a message to ${externalUrl}.`,
      id: messageId(externalUrl, 'refusal', received.id),
      ...(thread === undefined ? {} : { thread }),
    });
    await queue.enqueue(trx, 'mail.send', message);
  });
}

/** Whether the text is a plain e-mail address. The sender's headers can contain anything. */
function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s<>"(),:;@]+@[^\s<>"(),:;@]+$/.test(text);
}
