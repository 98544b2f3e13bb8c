import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { commitsOf } from '../closing/service.ts';
import { messageFacts } from './message-facts.ts';
import { mergeMessage, squashMessage } from './messages.ts';
import type { DefaultMessagesEntity } from './schema.ts';
import { mergeabilityOf, requireForMerge } from './service.ts';

/** The commit messages that a merge by the caller would have by default. */
export async function defaultMessages(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<DefaultMessagesEntity> {
  const { request } = await requireForMerge(services, subject, iid);
  const [{ settings }, commits] = await Promise.all([mergeabilityOf(services, request), commitsOf(services, request)]);
  const facts = await messageFacts(services, caller, subject, request, commits);
  return {
    merge_commit_message: mergeMessage(settings.mergeTemplate, facts),
    squash_commit_message: squashMessage(settings.squashTemplate, facts),
  };
}
