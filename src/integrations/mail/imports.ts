import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Occurrences } from '../../platform/occurrences.ts';
import { letterId, writeLetter } from './letter.ts';

/** Somebody is asked whether they are who did something elsewhere. */
export async function onReassignmentAsked(
  services: Services,
  trx: Writer,
  { id, user, sourceUsername, sourceHostname, group }: Occurrences['import.reassignment-asked'],
): Promise<void> {
  const letter = writeLetter({
    to: user.email,
    subject: `Reassignments on ${group} waiting for review`,
    says: [
      `The owners of ${group} say that you are @${sourceUsername} on ${sourceHostname}.`,
      `Once you accept, what @${sourceUsername} did there is yours here; this cannot be taken back.`,
      `Accept with POST /import/source_users/${id}/accept, decline with POST /import/source_users/${id}/reject.`,
    ],
    link: { text: group, url: `${services.externalUrl}/${group}` },
    reason: 'You get this because somebody asked you to take over what was imported.',
    id: letterId(services.externalUrl, 'reassignment', id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', letter);
}
