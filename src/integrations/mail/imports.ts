import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { composeEmail, messageId } from './compose.ts';

/** Asks a user to confirm that contributions imported from another instance are theirs. */
export async function onReassignmentAsked(
  services: Services,
  trx: Writer,
  { id, user, sourceUsername, sourceHostname, group }: DomainEvents['import.reassignment-asked'],
): Promise<void> {
  const message = composeEmail({
    to: user.email,
    subject: `Reassignments on ${group} waiting for review`,
    says: [
      `The owners of ${group} say that you are @${sourceUsername} on ${sourceHostname}.`,
      `If you accept, the imported contributions of @${sourceUsername} are assigned to you. This cannot be undone.`,
    ],
    link: { text: 'Accept or decline', url: `${services.externalUrl}/-/user_settings/reassignments` },
    reason: 'You get this because an owner of the group asked you to accept imported contributions.',
    id: messageId(services.externalUrl, 'reassignment', id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

const maxGists = 100;

/** Tells the user which of their gists were not imported. */
export async function onGistsEnded(
  services: Services,
  trx: Writer,
  { userId, failed, error }: DomainEvents['gist-import.ended'],
): Promise<void> {
  const user = await findUser(trx, userId);
  if (user?.kind !== 'human' || user.state !== 'active' || (failed.length === 0 && error === null)) return;
  const more = failed.length - maxGists;
  const message = composeEmail({
    to: user.email,
    subject: 'Gists could not be imported',
    says: [
      ...(error === null ? [] : [`The import of your gists failed: ${error}`]),
      ...(failed.length === 0 ? [] : [`Gists that were not imported (${failed.length}):`]),
      ...failed.slice(0, maxGists).map(({ id, reason }) => `${id}: ${reason}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
    link: { text: 'Your snippets', url: `${services.externalUrl}/${user.username}` },
    reason: 'You get this because you started the import.',
    id: messageId(services.externalUrl, 'gists', userId, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}
