import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { InsufficientScope, NotFound } from '../../../platform/http/errors.ts';
import { generationOf, nextGeneration } from '../store.ts';
import { addressFor, maxKeyLength } from './address.ts';
import { issueKey, issueToken, type ReplyKey, replyKey } from './keys.ts';
import type { IncomingEmailTokenEntity, NewIssueAddressEntity } from './schema.ts';

/** Returns the reply address of a notification e-mail, or undefined if incoming mail is disabled. */
export async function replyAddress(
  { config, db, encryption }: Services,
  key: Omit<ReplyKey, 'kind'>,
): Promise<string | undefined> {
  const pattern = config.incomingMailAddress;
  if (pattern === undefined) return undefined;
  return addressFor(pattern, replyKey(encryption, key, await generationOf(db.read, key.userId)));
}

/** An incoming address grants write access, so a token with a read-only scope must not reveal it. */
function checkMayWrite({ scopes }: SignedInActor): void {
  if (!scopes.has('api')) throw new InsufficientScope(['api']);
}

/** Returns the address at which the caller creates issues in a project by e-mail. */
export async function newIssueAddress(
  { config, db, encryption }: Services,
  caller: SignedInActor,
  { project, fullPath }: ProjectSubject,
): Promise<NewIssueAddressEntity> {
  checkMayWrite(caller);
  const pattern = config.incomingMailAddress;
  if (pattern === undefined) throw new NotFound();
  const token = issueToken(encryption, caller.user.id, await generationOf(db.read, caller.user.id));
  return { address: addressFor(pattern, issueKey(fullPath, project.id, token, maxKeyLength(pattern))) };
}

export async function getToken({ db, encryption }: Services, caller: SignedInActor): Promise<IncomingEmailTokenEntity> {
  checkMayWrite(caller);
  const generation = await generationOf(db.read, caller.user.id);
  return { incoming_email_token: issueToken(encryption, caller.user.id, generation) };
}

/** Rotates the caller's incoming mail token. All of their project addresses and reply addresses become invalid. */
export async function rotateToken(
  { db, encryption }: Services,
  { user }: SignedInActor,
): Promise<IncomingEmailTokenEntity> {
  const generation = await db.write((trx) => nextGeneration(trx, user.id));
  return { incoming_email_token: issueToken(encryption, user.id, generation) };
}
