import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { findNamespace } from '../../../access/subject-queries.ts';
import type { User } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import { triggerHooks, triggerProjectHooks, triggerSystemHooks } from '../deliveries/trigger.ts';
import type { EventSwitch } from '../events.ts';
import { deploymentPayload } from '../payloads/deployment.ts';
import { emojiPayload } from '../payloads/emoji.ts';
import { featureFlagPayload } from '../payloads/feature-flag.ts';
import { issuePayload } from '../payloads/issue.ts';
import { requestPayload } from '../payloads/merge-request.ts';
import { milestonePayload } from '../payloads/milestone.ts';
import { notePayload } from '../payloads/note.ts';
import { locateProject, type ProjectWithNamespace } from '../payloads/parts.ts';
import { releasePayload } from '../payloads/release.ts';
import { wikiPagePayload } from '../payloads/wiki-page.ts';

/** Triggers webhooks for an action of a user in a project. */
async function triggerForAction(
  services: Services,
  trx: Writer,
  { projectId, actorId }: { readonly projectId: number; readonly actorId: number },
  name: EventSwitch,
  compose: (located: ProjectWithNamespace, user: User) => Promise<object> | object,
): Promise<void> {
  await triggerProjectHooks(services, trx, projectId, name, async (located) => {
    const user = await findUser(trx, actorId);
    return user && compose(located, user);
  });
}

export async function onIssue(services: Services, trx: Writer, change: DomainEvents['issue.changed']): Promise<void> {
  const { issue } = change.after;
  const actor = { projectId: issue.project_id, actorId: change.actorId };
  const name = issue.confidential === 1 ? 'confidential_issues_events' : 'issues_events';
  await triggerForAction(services, trx, actor, name, (located, user) =>
    issuePayload(services, trx, located, user, change),
  );
}

export async function onNote(services: Services, trx: Writer, change: DomainEvents['note.changed']): Promise<void> {
  const { action, actorId, note, noteable } = change;
  if (action === 'delete' || note.system === 1 || note.project_id === null) return;
  const hidden = note.internal === 1 || noteable.audience === 'confidential';
  const name = hidden ? 'confidential_note_events' : 'note_events';
  await triggerForAction(services, trx, { projectId: note.project_id, actorId }, name, (located, user) =>
    notePayload(services, trx, located, user, { action, note, hidden }),
  );
}

export async function onRelease(
  services: Services,
  trx: Writer,
  change: DomainEvents['release.changed'],
): Promise<void> {
  await triggerProjectHooks(services, trx, change.release.project_id, 'releases_events', (located) =>
    releasePayload(services, trx, located, change),
  );
}

async function triggerMilestone(
  services: Services,
  trx: Writer,
  change: Parameters<typeof milestonePayload>[2],
): Promise<void> {
  const { project_id, namespace_id } = change.milestone;
  if (project_id !== null) {
    await triggerProjectHooks(services, trx, project_id, 'milestone_events', (located) =>
      milestonePayload(services, { located }, change),
    );
  } else if (namespace_id !== null) {
    await triggerHooks(services, trx, { namespaceId: namespace_id }, 'milestone_events', async () => {
      const group = await findNamespace(trx, namespace_id);
      return group && milestonePayload(services, { group }, change);
    });
  }
}

/** Milestones of projects and groups, without mere edits. */
export async function onMilestone(
  services: Services,
  trx: Writer,
  { action, milestone }: DomainEvents['milestone.changed'],
): Promise<void> {
  if (action !== 'update') await triggerMilestone(services, trx, { action, milestone });
}

export function onRemovedMilestone(
  services: Services,
  trx: Writer,
  { milestone }: DomainEvents['milestone.removed'],
): Promise<void> {
  return triggerMilestone(services, trx, { action: 'delete', milestone });
}

export async function onMergeRequest(
  services: Services,
  trx: Writer,
  change: DomainEvents['merge-request.changed'],
): Promise<void> {
  const { project_id: projectId } = change.after.request;
  const actor = { projectId, actorId: change.actorId };
  const compose = (located: ProjectWithNamespace, user: User) => requestPayload(services, trx, located, user, change);
  await triggerForAction(services, trx, actor, 'merge_requests_events', compose);
  await triggerSystemHooks(services, trx, 'merge_requests_events', async () => {
    const [located, user] = [await locateProject(trx, projectId), await findUser(trx, change.actorId)];
    return located && user && compose(located, user);
  });
}

/** Deployments, except planned ones. */
export async function onDeployment(
  services: Services,
  trx: Writer,
  change: DomainEvents['deployment.changed'],
): Promise<void> {
  const { deployment, before } = change;
  if (deployment.status === before || deployment.status === 'created' || deployment.status === 'skipped') return;
  await triggerProjectHooks(services, trx, deployment.project_id, 'deployment_events', (located) =>
    deploymentPayload(services, trx, located, change),
  );
}

/** Feature flags that are switched on or off. */
export async function onFeatureFlag(
  services: Services,
  trx: Writer,
  { flag, before, by }: DomainEvents['feature-flag.changed'],
): Promise<void> {
  if (before === undefined || before.active === flag.active) return;
  await triggerProjectHooks(services, trx, flag.project_id, 'feature_flag_events', (located) =>
    featureFlagPayload(services, located, by, flag),
  );
}

export async function onAward(services: Services, trx: Writer, change: DomainEvents['award.changed']): Promise<void> {
  const { actorId, award } = change;
  if (award.project_id === null) return;
  await triggerForAction(services, trx, { projectId: award.project_id, actorId }, 'emoji_events', (located, user) =>
    emojiPayload(services, trx, located, user, change),
  );
}

export async function onWikiPage(
  services: Services,
  trx: Writer,
  change: DomainEvents['wiki-page.changed'],
): Promise<void> {
  const { project_id, namespace_id } = change.owner;
  // The payload of a wiki page contains its project; group wikis have none.
  if (project_id === null || namespace_id !== null) return;
  await triggerForAction(
    services,
    trx,
    { projectId: project_id, actorId: change.actorId },
    'wiki_page_events',
    (located, user) => wikiPagePayload(services, located, user, change),
  );
}
