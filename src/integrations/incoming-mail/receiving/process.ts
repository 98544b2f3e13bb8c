import { buffer } from 'node:stream/consumers';
import { actorOnBehalfOf } from '../../../access/actor.ts';
import { accountRefusal } from '../../../access/credentials/account-state.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { termsRefusal } from '../../../access/credentials/terms-enforcement.ts';
import { maintenanceRefusal } from '../../../access/limits/maintenance.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { showBytes } from '../../../config/units.ts';
import { afterCommit, type Writer } from '../../../platform/database/database.ts';
import { TooManyRequests } from '../../../platform/http/errors.ts';
import { GiveUp, type Job, RunAgain } from '../../../platform/queue/queue.ts';
import { digest } from '../../../platform/secrets/tokens.ts';
import { FileMissing } from '../../../platform/storage/storage.ts';
import { keyIn } from '../addresses/address.ts';
import { isGenuine, type ReadKey, readKey } from '../addresses/keys.ts';
import type { Message } from '../messages/message.ts';
import { readHeadInThread, readInThread } from '../messages/read.ts';
import { findReceived, generationOf, hasIdentity, noteIdentity } from '../store.ts';
import type { ReceivedMail } from '../tables.ts';
import { commentByMail, type MailContent } from './comment.ts';
import { withFiles } from './files.ts';
import { openIssueByMail } from './open-issue.ts';
import type { StoredMessage } from './receive.ts';
import { Refused, reasonOf, reasons } from './rejection.ts';
import { rejectMessage } from './rejection-email.ts';

/** A duplicate of a message that is already processed. */
class AlreadyDone extends Error {}

const minuteMs = 60_000;

/**
 * Processes a received message exactly once, even if the server is interrupted, or tells the sender why it was
 * rejected.
 */
export async function processMessage(services: Services, job: Job<StoredMessage>): Promise<void> {
  const received = await findReceived(services.db.read, job.payload.id);
  if (!received) return;
  if ((await maintenanceRefusal(services)) !== undefined) throw new RunAgain(minuteMs);
  const raw = await readFile(services, received);
  const head = await readHeadInThread(raw);
  if (!head.automatic && !isOwn(services, head)) {
    await handleMessage(services, received, head, raw, job).catch((error: unknown) => {
      if (!(error instanceof AlreadyDone)) throw error;
    });
  }
  await services.storage.delete(received.file);
}

async function readFile({ storage }: Services, { file }: ReceivedMail): Promise<Buffer> {
  try {
    return await buffer((await storage.get(file)).stream);
  } catch (error) {
    throw error instanceof FileMissing ? new GiveUp('the message is no longer stored') : error;
  }
}

/** Whether the message is one of this instance's own e-mails. */
function isOwn({ config, externalUrl }: Services, { from, id }: Message): boolean {
  const [, own = config.mailFrom] = /<([^<>]+)>\s*$/.exec(config.mailFrom) ?? [];
  const sentHere =
    /^<(?:Issue|MergeRequest|Epic|Commit|Snippet|emails-on-push|pipelines-email)-\d[^@]*@([^@>]+)>$/.exec(id ?? '');
  return from?.toLowerCase() === own.toLowerCase() || sentHere?.[1] === new URL(externalUrl).hostname;
}

async function handleMessage(
  services: Services,
  received: ReceivedMail,
  head: Message,
  raw: Buffer,
  job: Job<StoredMessage>,
): Promise<void> {
  const found = await genuineKey(services, head);
  // The address determines the author. If `From` is forged, the rejection goes to the owner of the address.
  const to = found ? found.user.email : head.takesNoAnswer ? null : head.from;
  const identity = digest(`${head.id ?? digest(raw.toString('latin1'))} ${found?.address.toLowerCase()}`);
  let ended = false;
  const end = async (trx: Writer) => {
    if (await hasIdentity(trx, identity)) throw new AlreadyDone();
    await noteIdentity(trx, received.id, identity);
    await job.finish(trx);
    afterCommit(trx, () => {
      ended = true;
    });
  };
  try {
    if (!found) throw new Refused(reasons.unknown);
    if (job.payload.oversized) throw new Refused(reasons.tooLarge(showBytes(services.config.maxIncomingMail)));
    await act(services, received, await readInThread(raw), found, { end, signal: job.signal });
  } catch (error) {
    if (error instanceof TooManyRequests) throw new RunAgain(minuteMs);
    const reason = reasonOf(error);
    // The change is already committed; only a later step failed.
    if (ended || reason === undefined) throw error;
    await rejectMessage(services, { received, to, reason, answers: head.id }, end);
  }
}

interface Found {
  readonly address: string;
  readonly key: ReadKey;
  readonly user: User;
}

/** Returns the first recipient address with a valid key, and its owner. */
async function genuineKey({ config, db, encryption }: Services, { recipients }: Message): Promise<Found | undefined> {
  const pattern = config.incomingMailAddress;
  if (pattern === undefined) throw new GiveUp('no incoming mail address is configured');
  for (const address of recipients) {
    const text = keyIn(pattern, address);
    const key = text === undefined ? undefined : readKey(text);
    const user = key && (await findUser(db.read, key.userId));
    if (user && isGenuine(encryption, key, await generationOf(db.read, user.id))) return { address, key, user };
  }
  return undefined;
}

async function act(
  services: Services,
  received: ReceivedMail,
  message: Message,
  { key, user }: Found,
  ending: Pick<MailContent, 'end' | 'signal'>,
): Promise<void> {
  const refusal =
    user.kind === 'human'
      ? (accountRefusal(user, services.externalUrl) ?? (await termsRefusal(services, user)))
      : reasons.forbidden;
  if (refusal !== undefined) throw new Refused(refusal);
  const caller = actorOnBehalfOf(user);
  const text = key.kind === 'reply' ? message.reply : message.whole;
  const content: MailContent = {
    caller,
    textFor: (place) => withFiles(services, caller, place, received, message, text),
    ...ending,
  };
  if (key.kind === 'issue') return openIssueByMail(services, key, message.subject, content);
  if (text === '' && message.files.every(({ marks }) => marks.length > 0)) throw new Refused(reasons.empty);
  return commentByMail(services, key, content);
}
