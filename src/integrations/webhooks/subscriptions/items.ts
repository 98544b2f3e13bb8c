import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { Occurrences } from '../../../platform/occurrences.ts';
import { tellInstance, tellProjectOrGroup } from '../deliveries/tell.ts';
import { deploymentPayload } from '../payloads/deployment.ts';
import { emojiPayload } from '../payloads/emoji.ts';
import { issuePayload } from '../payloads/issue.ts';
import { requestPayload } from '../payloads/merge-request.ts';
import { milestonePayload } from '../payloads/milestone.ts';
import { notePayload } from '../payloads/note.ts';
import { locate } from '../payloads/parts.ts';
import { releasePayload } from '../payloads/release.ts';
import { wikiPagePayload } from '../payloads/wiki-page.ts';

export async function onIssue(services: Services, trx: Writer, change: Occurrences['issue.changed']): Promise<void> {
  const { issue } = change.after;
  const located = await locate(trx, issue.project_id);
  if (!located) return;
  const place = { projectId: issue.project_id, namespaceId: located.namespace.id };
  const name = issue.confidential === 1 ? 'confidential_issues_events' : 'issues_events';
  await tellProjectOrGroup(services, trx, place, name, async () => {
    const user = await findUser(trx, change.actorId);
    return user && issuePayload(services, trx, located, user, change);
  });
}

export async function onNote(services: Services, trx: Writer, change: Occurrences['note.changed']): Promise<void> {
  const { action, actorId, note, noteable } = change;
  if (action === 'delete' || note.system === 1 || note.project_id === null) return;
  const located = await locate(trx, note.project_id);
  if (!located) return;
  const place = { projectId: note.project_id, namespaceId: located.namespace.id };
  const hidden = note.internal === 1 || noteable.audience === 'confidential';
  await tellProjectOrGroup(services, trx, place, hidden ? 'confidential_note_events' : 'note_events', async () => {
    const user = await findUser(trx, actorId);
    return user && notePayload(services, trx, located, user, { action, note, hidden });
  });
}

export async function onRelease(
  services: Services,
  trx: Writer,
  change: Occurrences['release.changed'],
): Promise<void> {
  const located = await locate(trx, change.release.project_id);
  if (!located) return;
  const place = { projectId: located.project.id, namespaceId: located.namespace.id };
  await tellProjectOrGroup(services, trx, place, 'releases_events', () =>
    releasePayload(services, trx, located, change),
  );
}

/** Of the milestones of projects, what is not a mere edit. */
export async function onMilestone(
  services: Services,
  trx: Writer,
  { action, milestone }: Occurrences['milestone.changed'],
): Promise<void> {
  if (action === 'update' || milestone.project_id === null) return;
  const located = await locate(trx, milestone.project_id);
  if (!located) return;
  const place = { projectId: located.project.id, namespaceId: located.namespace.id };
  const payload = milestonePayload(services, located, { action, milestone });
  await tellProjectOrGroup(services, trx, place, 'milestone_events', async () => payload);
}

export async function onMergeRequest(
  services: Services,
  trx: Writer,
  change: Occurrences['merge-request.changed'],
): Promise<void> {
  const located = await locate(trx, change.after.request.project_id);
  if (!located) return;
  const place = { projectId: located.project.id, namespaceId: located.namespace.id };
  const compose = async () => {
    const user = await findUser(trx, change.actorId);
    return user && requestPayload(services, trx, located, user, change);
  };
  await tellProjectOrGroup(services, trx, place, 'merge_requests_events', compose);
  await tellInstance(services, trx, 'merge_requests_events', compose);
}

/** Of deployments, what is more than that they are planned. */
export async function onDeployment(
  services: Services,
  trx: Writer,
  change: Occurrences['deployment.changed'],
): Promise<void> {
  const { deployment, before } = change;
  if (deployment.status === before || deployment.status === 'created' || deployment.status === 'skipped') return;
  const located = await locate(trx, deployment.project_id);
  if (!located) return;
  const place = { projectId: located.project.id, namespaceId: located.namespace.id };
  await tellProjectOrGroup(services, trx, place, 'deployment_events', () =>
    deploymentPayload(services, trx, located, change),
  );
}

export async function onAward(services: Services, trx: Writer, change: Occurrences['award.changed']): Promise<void> {
  const located = change.award.project_id === null ? undefined : await locate(trx, change.award.project_id);
  if (!located) return;
  const place = { projectId: located.project.id, namespaceId: located.namespace.id };
  await tellProjectOrGroup(services, trx, place, 'emoji_events', async () => {
    const user = await findUser(trx, change.actorId);
    return user && emojiPayload(services, trx, located, user, change);
  });
}

export async function onWikiPage(
  services: Services,
  trx: Writer,
  change: Occurrences['wiki-page.changed'],
): Promise<void> {
  const { project_id, namespace_id } = change.owner;
  const located = project_id === null ? undefined : await locate(trx, project_id);
  // The payload of a page speaks of its project; what belongs to a group itself has no such payload.
  if (!located || namespace_id !== null) return;
  const place = { projectId: located.project.id, namespaceId: located.namespace.id };
  await tellProjectOrGroup(services, trx, place, 'wiki_page_events', async () => {
    const user = await findUser(trx, change.actorId);
    return user && wikiPagePayload(services, located, user, change);
  });
}
