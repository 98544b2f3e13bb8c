import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { findNamespace } from '../../../access/subject-queries.ts';
import type { Member, Project } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { DomainEvents, Subscriptions } from '../../../platform/domain-events.ts';
import { triggerHooks, triggerSystemHooks } from '../deliveries/trigger.ts';
import { locateProject } from '../payloads/parts.ts';
import * as payloads from '../payloads/places.ts';

async function triggerProject(
  services: Services,
  trx: Writer,
  project: Project,
  event: string,
  { formerPath, groupsToo = false }: { formerPath?: string; groupsToo?: boolean } = {},
): Promise<void> {
  const namespace = await findNamespace(trx, project.namespace_id);
  if (!namespace) return;
  const compose = () => payloads.projectPayload(trx, { project, namespace }, event, formerPath);
  await triggerSystemHooks(services, trx, undefined, compose);
  if (groupsToo) await triggerHooks(services, trx, { namespaceId: namespace.id }, 'project_events', compose);
}

async function triggerSubgroup(
  services: Services,
  trx: Writer,
  { group }: Pick<DomainEvents['group.created'], 'group'>,
  event: 'create' | 'destroy',
): Promise<void> {
  await triggerSystemHooks(services, trx, undefined, () => payloads.groupPayload(group, `group_${event}`));
  const parent = await findNamespace(trx, group.parent_id);
  if (!parent) return;
  await triggerHooks(services, trx, { namespaceId: parent.id }, 'subgroup_events', () =>
    payloads.subgroupPayload(group, parent, `subgroup_${event}`),
  );
}

async function triggerGroup(services: Services, trx: Writer, { before, group }: DomainEvents['group.updated']) {
  if (before.full_path === group.full_path) return;
  await triggerSystemHooks(services, trx, undefined, () => payloads.groupPayload(group, 'group_rename', before));
}

const memberEvents = {
  added: { group: 'user_add_to_group', project: 'user_add_to_team' },
  updated: { group: 'user_update_for_group', project: 'user_update_for_team' },
  removed: { group: 'user_remove_from_group', project: 'user_remove_from_team' },
} as const;

async function triggerMember(services: Services, trx: Writer, member: Member, what: keyof typeof memberEvents) {
  const user = await findUser(trx, member.user_id);
  if (!user) return;
  const events = memberEvents[what];
  if (member.project_id !== null) {
    const located = await locateProject(trx, member.project_id);
    if (!located) return;
    await triggerSystemHooks(services, trx, undefined, () =>
      payloads.projectMemberPayload(located, user, member, events.project),
    );
    return;
  }
  const group = await findNamespace(trx, member.namespace_id);
  if (group?.kind !== 'group') return;
  const compose = () => payloads.groupMemberPayload(group, user, member, events.group);
  await triggerSystemHooks(services, trx, undefined, compose);
  await triggerHooks(services, trx, { namespaceId: group.id }, 'member_events', compose);
}

async function triggerRequest(
  services: Services,
  trx: Writer,
  { namespaceId, projectId, userId }: { namespaceId: number | null; projectId: number | null; userId: number },
  verb: 'to' | 'denied_for',
): Promise<void> {
  // System hooks use another name for the same event.
  const told = verb === 'denied_for' ? 'revoked_for' : verb;
  const user = await findUser(trx, userId);
  const flags = { ldap: 0, override: 0, member_role_id: null, updated_at: null };
  const member = { ...flags, id: 0, access_level: 0, expires_at: null, created_by_id: null, created_at: Date.now() };
  const row = { ...member, user_id: userId, namespace_id: namespaceId, project_id: projectId };
  if (!user) return;
  if (projectId !== null) {
    const located = await locateProject(trx, projectId);
    if (!located) return;
    const event = `user_access_request_${told}_project`;
    await triggerSystemHooks(services, trx, undefined, () => payloads.projectMemberPayload(located, user, row, event));
    return;
  }
  const group = await findNamespace(trx, namespaceId);
  if (group?.kind !== 'group') return;
  const compose = (word: string) => () =>
    payloads.groupMemberPayload(group, user, row, `user_access_request_${word}_group`);
  await triggerSystemHooks(services, trx, undefined, compose(told));
  await triggerHooks(services, trx, { namespaceId: group.id }, 'member_events', compose(verb));
}

async function triggerDeployKey(
  services: Services,
  trx: Writer,
  { key }: DomainEvents['deploy-key.added'],
  event: 'key_create' | 'key_destroy',
) {
  const user = await findUser(trx, key.user_id);
  await triggerSystemHooks(services, trx, undefined, () => payloads.keyPayload(user, key, event));
}

async function triggerKey(services: Services, trx: Writer, key: DomainEvents['key.added'], event: string) {
  if (key.kind !== 'ssh' || key.key.user_id === null) return;
  const user = await findUser(trx, key.key.user_id);
  if (user) await triggerSystemHooks(services, trx, undefined, () => payloads.keyPayload(user, key.key, event));
}

/** Events about users, groups and projects for system hooks and group webhooks. */
export const placeSubscriptions: Subscriptions<Services> = {
  'project.created': (services, trx, { project }) =>
    triggerProject(services, trx, project, 'project_create', { groupsToo: true }),
  'project.updated': (services, trx, { project }) => triggerProject(services, trx, project, 'project_update'),
  'project.renamed': async (services, trx, { project, formerPath }) =>
    triggerProject(services, trx, project, 'project_rename', { formerPath }),
  'project.transferred': (services, trx, { project, from, before }) =>
    triggerProject(services, trx, project, 'project_transfer', { formerPath: `${from.full_path}/${before.path}` }),
  'project.removed': (services, trx, { project }) =>
    triggerProject(services, trx, project, 'project_destroy', { groupsToo: true }),
  'group.created': (services, trx, event) => triggerSubgroup(services, trx, event, 'create'),
  'group.removed': (services, trx, event) => triggerSubgroup(services, trx, event, 'destroy'),
  'group.updated': triggerGroup,
  'group.transferred': triggerGroup,
  'member.added': (services, trx, { member }) => triggerMember(services, trx, member, 'added'),
  'member.updated': (services, trx, { member }) => triggerMember(services, trx, member, 'updated'),
  'member.removed': (services, trx, { member }) => triggerMember(services, trx, member, 'removed'),
  'access.requested': (services, trx, { user, ...place }) =>
    triggerRequest(services, trx, { ...place, userId: user.id }, 'to'),
  'access.denied': (services, trx, { userId, namespaceId, projectId }) =>
    triggerRequest(services, trx, { userId, namespaceId, projectId }, 'denied_for'),
  'user.created': async (services, trx, { user }) => {
    if (user.kind === 'ghost') return;
    await triggerSystemHooks(services, trx, undefined, () => payloads.userPayload(user, 'user_create'));
  },
  'user.updated': async (services, trx, { user, before, changed }) => {
    if (!changed.has('username')) return;
    const former = { old_username: before.username };
    await triggerSystemHooks(services, trx, undefined, () => payloads.userPayload(user, 'user_rename', former));
  },
  'user.removed': (services, trx, { user }) =>
    triggerSystemHooks(services, trx, undefined, () => payloads.userPayload(user, 'user_destroy')),
  'sign-in.failed': async (services, trx, { user }) => {
    if (user?.state !== 'blocked' && user?.state !== 'ldap_blocked') return;
    const { state } = user;
    await triggerSystemHooks(services, trx, undefined, () =>
      payloads.userPayload(user, 'user_failed_login', { state }),
    );
  },
  'deploy-key.added': (services, trx, change) => triggerDeployKey(services, trx, change, 'key_create'),
  'deploy-key.removed': (services, trx, change) => triggerDeployKey(services, trx, change, 'key_destroy'),
  'key.added': (services, trx, key) => triggerKey(services, trx, key, 'key_create'),
  'key.removed': (services, trx, key) => triggerKey(services, trx, key, 'key_destroy'),
};
