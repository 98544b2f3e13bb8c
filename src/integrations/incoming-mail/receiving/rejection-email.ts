import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { digest } from '../../../platform/secrets/tokens.ts';
import { composeEmail, messageId } from '../../mail/public.ts';
import { noteAnswer, wasAnswered } from '../store.ts';
import type { ReceivedMail } from '../tables.ts';

/** So many refusals one address gets in an hour: what it sends may be made up, or be answers of a program. */
const maxAnswers = 5;
const hourMs = 60 * 60 * 1000;

interface Refusal {
  readonly received: Pick<ReceivedMail, 'id'>;
  /** Whom it is told to; nobody where that is not known, or does not wait for an answer. */
  readonly to: string | null;
  readonly reason: string;
  /** The message that was refused. */
  readonly answers: string | null;
}

/** Ends what a refused message was waiting for, and tells its sender why. Nothing of the message stands in the email. */
export async function refuse(
  { db, queue, externalUrl, log }: Services,
  { received, to, reason, answers }: Refusal,
  end: (trx: Writer) => Promise<void>,
): Promise<void> {
  log.info({ received: received.id, reason }, 'refused a message');
  const sender = to === null ? null : digest(to.toLowerCase());
  const [, thread] = /^<([^<>\s]{1,250})>$/.exec(answers ?? '') ?? [];
  await db.write(async (trx) => {
    await end(trx);
    if (to === null || sender === null || !isAddress(to)) return;
    if (await wasAnswered(trx, sender, maxAnswers, Date.now() - hourMs)) return;
    await noteAnswer(trx, received.id, sender);
    const message = composeEmail({
      to,
      subject: 'Your message was not taken',
      says: ['Unfortunately nothing was done about a message that you sent.', reason],
      reason: `You get this because of a message to the forge at ${externalUrl}.`,
      id: messageId(externalUrl, 'refusal', received.id),
      ...(thread === undefined ? {} : { thread }),
    });
    await queue.enqueue(trx, 'mail.send', message);
  });
}

/** Something that an email can be sent to: who writes a message writes what they want there. */
function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s<>"(),:;@]+@[^\s<>"(),:;@]+$/.test(text);
}
