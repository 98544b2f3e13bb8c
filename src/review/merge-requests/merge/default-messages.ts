import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { commitsOf } from '../closing/service.ts';
import { messageFacts } from './message-facts.ts';
import { mergeMessage, squashMessage } from './messages.ts';
import type { DefaultMessagesEntity } from './schema.ts';
import { considerOne, requireForMerge } from './service.ts';

/** The messages that a merge by the caller would leave now, where they give none of their own. */
export async function defaultMessages(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<DefaultMessagesEntity> {
  const { request } = await requireForMerge(services, subject, iid);
  const [{ settings }, commits] = await Promise.all([considerOne(services, request), commitsOf(services, request)]);
  const facts = await messageFacts(services, caller, subject, request, commits);
  return {
    merge_commit_message: mergeMessage(settings.mergeTemplate, facts),
    squash_commit_message: squashMessage(settings.squashTemplate, facts),
  };
}
