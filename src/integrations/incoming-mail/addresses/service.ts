import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { InsufficientScope, NotFound } from '../../../platform/http/errors.ts';
import { generationOf, nextGeneration } from '../store.ts';
import { addressFor, roomForKey } from './address.ts';
import { issueKey, issueToken, type ReplyKey, replyKey } from './keys.ts';
import type { IncomingEmailTokenEntity, NewIssueAddressEntity } from './schema.ts';

/** Where an answer to an email goes; undefined where no mail is taken. */
export async function replyAddress(
  { config, db, encryption }: Services,
  key: Omit<ReplyKey, 'kind'>,
): Promise<string | undefined> {
  const pattern = config.incomingMailAddress;
  if (pattern === undefined) return undefined;
  return addressFor(pattern, replyKey(encryption, key, await generationOf(db.read, key.userId)));
}

/** Who has such an address writes: a token that only reads must not learn it. */
function checkMayWrite({ scopes }: SignedInActor): void {
  if (!scopes.has('api')) throw new InsufficientScope(['api']);
}

/** Where the caller's mail becomes issues of a project. */
export async function newIssueAddress(
  { config, db, encryption }: Services,
  caller: SignedInActor,
  { project, fullPath }: ProjectSubject,
): Promise<NewIssueAddressEntity> {
  checkMayWrite(caller);
  const pattern = config.incomingMailAddress;
  if (pattern === undefined) throw new NotFound();
  const token = issueToken(encryption, caller.user.id, await generationOf(db.read, caller.user.id));
  return { address: addressFor(pattern, issueKey(fullPath, project.id, token, roomForKey(pattern))) };
}

export async function getToken({ db, encryption }: Services, caller: SignedInActor): Promise<IncomingEmailTokenEntity> {
  checkMayWrite(caller);
  const generation = await generationOf(db.read, caller.user.id);
  return { incoming_email_token: issueToken(encryption, caller.user.id, generation) };
}

/** Makes every address worthless that acts for the caller: those of projects, and those of the emails they got. */
export async function rotateToken(
  { db, encryption }: Services,
  { user }: SignedInActor,
): Promise<IncomingEmailTokenEntity> {
  const generation = await db.write((trx) => nextGeneration(trx, user.id));
  return { incoming_email_token: issueToken(encryption, user.id, generation) };
}
