import { findUser } from '../../access/credentials/identify.ts';
import { roleName, visibilityName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { findNamespace, projectById } from '../../access/subject-queries.ts';
import type { AccessToken, Member, Namespace, Project, User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents, Subscriptions } from '../../platform/domain-events.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { insertAuditEvent } from './store.ts';
import type { EntityType } from './tables.ts';

/** Maximum number of refs of a push listed in an audit event. */
const maxRefs = 10;

/** An audit event to record. */
interface AuditRecord {
  readonly name: string;
  readonly by: Pick<User, 'id' | 'name'> | null;
  readonly entity: { readonly type: EntityType; readonly id: number; readonly path: string };
  readonly target: { readonly type: string; readonly id: number; readonly details: string };
  /** Additional details: what was added, changed from one value to another, or removed. */
  readonly data: Readonly<Record<string, unknown>>;
}

async function record(trx: Writer, { name, by, entity, target, data }: AuditRecord): Promise<void> {
  const details = {
    ...data,
    author_name: by?.name ?? '(System)',
    author_class: by ? 'User' : 'Gitlab::Audit::UnauthenticatedAuthor',
    target_id: target.id,
    target_type: target.type,
    target_details: target.details,
    entity_path: entity.path,
    event_name: name,
  };
  await insertAuditEvent(trx, {
    author_id: by?.id ?? -1,
    entity_type: entity.type,
    entity_id: entity.id,
    event_name: name,
    details: JSON.stringify(details),
    created_at: Date.now(),
  });
}

const ofUser = (user: User) => ({ type: 'User', id: user.id, path: user.username }) as const;
const ofGroup = (group: Namespace) => ({ type: 'Group', id: group.id, path: group.full_path }) as const;

async function ofProject(trx: Writer, project: Project) {
  const namespace = await findNamespace(trx, project.namespace_id);
  return { type: 'Project', id: project.id, path: `${namespace?.full_path}/${project.path}` } as const;
}

async function placeOf(trx: Writer, member: Member) {
  if (member.project_id !== null) {
    const project = await projectById.first(trx, { id: member.project_id });
    return project && ofProject(trx, project);
  }
  const group = await findNamespace(trx, member.namespace_id);
  return group?.kind === 'group' ? ofGroup(group) : undefined;
}

async function aboutMember(trx: Writer, name: string, member: Member, by: User | null, data: AuditRecord['data']) {
  const [user, entity] = await Promise.all([findUser(trx, member.user_id), placeOf(trx, member)]);
  if (!user || !entity) return;
  await record(trx, { name, by, entity, target: { type: 'User', id: user.id, details: user.name }, data });
}

/** Records an event about a user's own resource; `by` defaults to that user. */
async function aboutOwned(
  trx: Writer,
  name: string,
  userId: number,
  target: AuditRecord['target'],
  data: AuditRecord['data'],
  by: User | null = null,
) {
  const user = await findUser(trx, userId);
  if (user) await record(trx, { name, by: by ?? user, entity: ofUser(user), target, data });
}

async function aboutProject(trx: Writer, name: string, project: Project, by: User | null, data: AuditRecord['data']) {
  const entity = await ofProject(trx, project);
  await record(trx, { name, by, entity, target: { type: 'Project', id: project.id, details: entity.path }, data });
}

async function aboutGroup(trx: Writer, name: string, group: Namespace, by: User | null, data: AuditRecord['data']) {
  const target = { type: 'Group', id: group.id, details: group.full_path };
  await record(trx, { name, by, entity: ofGroup(group), target, data });
}

const change = (named: string, from: unknown, to: unknown) => ({ change: named, from, to });
const visibility = (before: { visibility: number }, after: { visibility: number }) =>
  change('visibility_level', visibilityName(before.visibility), visibilityName(after.visibility));

const instance = { type: 'Gitlab::Audit::InstanceScope', id: 1, path: 'gitlab_instance' } as const;

async function aboutDeployKey(
  trx: Writer,
  name: string,
  { key, project, by }: DomainEvents['deploy-key.added'],
  data: AuditRecord['data'],
) {
  const entity = project ? await ofProject(trx, project) : instance;
  await record(trx, { name, by, entity, target: { type: 'DeployKey', id: key.id, details: key.title }, data });
}

async function aboutDeployToken(
  trx: Writer,
  done: 'created' | 'destroyed',
  { token, by }: DomainEvents['deploy-token.created'],
) {
  const project = token.project_id === null ? undefined : await projectById.first(trx, { id: token.project_id });
  const group = await findNamespace(trx, token.namespace_id);
  const entity = project ? await ofProject(trx, project) : group && ofGroup(group);
  if (!entity) return;
  const name = `${project ? '' : 'group_'}deploy_token_${done}`;
  const data = { custom_message: `${done === 'created' ? 'Created' : 'Destroyed'} deploy token with id ${token.id}` };
  await record(trx, { name, by, entity, target: { type: 'DeployToken', id: token.id, details: token.name }, data });
}

async function aboutSshCertificate(
  trx: Writer,
  done: 'create' | 'delete',
  { certificate, group, by }: DomainEvents['ssh-certificate.added'],
) {
  const target = { type: 'Groups::SshCertificate', id: certificate.id, details: certificate.title };
  const data = {
    custom_message: `${done === 'create' ? 'Created' : 'Deleted'} SSH certificate with id ${certificate.id}`,
  };
  await record(trx, { name: `${done}_ssh_certificate`, by, entity: ofGroup(group), target, data });
}

async function aboutMemberRole(
  trx: Writer,
  done: string,
  { role, group, by }: DomainEvents['member_role.created'],
  data: AuditRecord['data'],
): Promise<void> {
  const target = { type: 'MemberRole', id: role.id, details: role.name };
  const details = { ...data, as: roleName(role.base_access_level), permissions: storedStrings(role.permissions) };
  const entity = group ? ofGroup(group) : instance;
  await record(trx, { name: `member_role_${done}`, by, entity, target, data: details });
}

async function aboutAccount(trx: Writer, name: string, user: User, by: User | null, said: string) {
  const target = { type: 'User', id: user.id, details: user.username };
  await record(trx, { name, by, entity: ofUser(user), target, data: { custom_message: said } });
}

async function aboutIdentity(
  trx: Writer,
  name: string,
  { userId, provider, by }: DomainEvents['identity.removed'],
  data: AuditRecord['data'],
) {
  const user = await findUser(trx, userId);
  const target = { type: 'Identity', id: userId, details: provider };
  if (user) await record(trx, { name, by, entity: ofUser(user), target, data });
}

const kindOf = ({ impersonation }: AccessToken) => (impersonation === 1 ? 'impersonation' : 'access');

/**
 * Audited events: sign-ins, second factors, settings, tokens, keys, members, visibility, creation, transfer and
 * deletion of projects and groups, and administrator rights.
 */
export const auditSubscriptions: Subscriptions<Services> = {
  'sign-in.succeeded': (_, trx, { user, ip }) =>
    record(trx, {
      name: 'user_logged_in',
      by: user,
      entity: ofUser(user),
      target: { type: 'User', id: user.id, details: user.username },
      data: { with: 'standard', ip_address: ip },
    }),
  'sign-in.failed': (_, trx, { login, user, ip }) =>
    record(trx, {
      name: 'login_failed_with_standard_authentication',
      by: null,
      entity: user ? ofUser(user) : instance,
      target: { type: 'User', id: user?.id ?? -1, details: login },
      data: { failed_login: 'STANDARD', ip_address: ip },
    }),
  'terms.accepted': (_, trx, { user }) =>
    aboutAccount(trx, 'user_accepted_terms', user, user, 'Accepted the terms of use'),
  'second-factor.enabled': (_, trx, { user }) =>
    aboutAccount(trx, 'user_enable_two_factor', user, user, 'Enabled two-factor authentication'),
  'second-factor.disabled': (_, trx, { user, by }) =>
    aboutAccount(trx, 'user_disable_two_factor', user, by, 'Disabled two-factor authentication'),
  'recovery-codes.made': (_, trx, { user }) =>
    aboutAccount(trx, 'user_recovery_codes_generated', user, user, 'Generated new recovery codes'),
  'recovery-code.used': (_, trx, { user }) =>
    aboutAccount(trx, 'user_recovery_code_used', user, user, 'Signed in with a recovery code'),
  'password-reset.asked': (_, trx, { user, email }) =>
    record(trx, {
      name: 'password_reset_requested',
      by: null,
      entity: ofUser(user),
      target: { type: 'User', id: user.id, details: email },
      data: { custom_message: 'Ask for password reset' },
    }),
  'application-settings.changed': async (_, trx, { by, changes }) => {
    for (const [name, { from, to }] of changes) {
      const target = { type: 'ApplicationSetting', id: 1, details: name };
      const data = change(name, from, to);
      await record(trx, { name: 'application_setting_updated', by, entity: instance, target, data });
    }
  },
  'broadcast-message.changed': async (_, trx, { action, message, before, by }) => {
    const target = { type: 'BroadcastMessage', id: message.id, details: `${message.broadcast_type} ${message.id}` };
    const base = { name: `broadcast_message_${action}`, by, entity: instance, target };
    if (!before) {
      const custom_message = `${action === 'created' ? 'Created' : 'Deleted'} broadcast message with id ${message.id}`;
      return record(trx, { ...base, data: { custom_message } });
    }
    for (const column of Object.keys(message) as (keyof typeof message)[]) {
      if (before[column] === message[column]) continue;
      await record(trx, { ...base, data: change(column, before[column], message[column]) });
    }
  },
  'user.acted_as': (_, trx, { user, by, call }) =>
    aboutAccount(trx, 'user_impersonation', user, by, `Acted as ${user.username} by sudo: ${call}`),
  'identity.set': async (_, trx, { userId, provider, externUid, before, by }) => {
    if (before === externUid) return;
    const details = { custom_message: `Connected with ${provider}`, from: before, to: externUid };
    await aboutIdentity(trx, 'user_identity_connected', { userId, provider, by }, details);
  },
  'identity.removed': async (_, trx, { userId, provider, by }) => {
    const details = { custom_message: `Disconnected from ${provider}` };
    await aboutIdentity(trx, 'user_identity_disconnected', { userId, provider, by }, details);
  },
  'token.created': (_, trx, { token, by }) =>
    aboutOwned(
      trx,
      'personal_access_token_created',
      token.user_id,
      { type: 'PersonalAccessToken', id: token.id, details: token.name },
      { custom_message: `Created ${kindOf(token)} token with id ${token.id}` },
      by,
    ),
  'token.revoked': (_, trx, { token, by }) =>
    aboutOwned(
      trx,
      'personal_access_token_revoked',
      token.user_id,
      { type: 'PersonalAccessToken', id: token.id, details: token.name },
      { custom_message: `Revoked ${kindOf(token)} token with id ${token.id}` },
      by,
    ),
  'key.added': async (_, trx, { kind, key }) => {
    if (key.user_id === null) return;
    const target = { type: kind === 'ssh' ? 'Key' : 'GpgKey', id: key.id, details: `${kind} key` };
    await aboutOwned(trx, `add_${kind}_key`, key.user_id, target, { add: `${kind}_key` });
  },
  'key.removed': async (_, trx, { kind, key }) => {
    if (key.user_id === null) return;
    const target = { type: kind === 'ssh' ? 'Key' : 'GpgKey', id: key.id, details: `${kind} key` };
    await aboutOwned(trx, `remove_${kind}_key`, key.user_id, target, { remove: `${kind}_key` });
  },
  'deploy-key.added': (_, trx, change) => aboutDeployKey(trx, 'deploy_key_added', change, { add: 'deploy_key' }),
  'deploy-key.removed': (_, trx, change) => aboutDeployKey(trx, 'deploy_key_removed', change, { remove: 'deploy_key' }),
  'push.secrets-skipped': async (_, trx, { project, user, by, refs }) => {
    const where = refs.slice(0, maxRefs).map((ref) => ref.replace(/^refs\/(?:heads|tags)\//, ''));
    const custom_message = `Secret push protection skipped via ${by} on ${where.join(', ')}`;
    const target = { type: 'Project', id: project.id, details: project.name };
    const entity = await ofProject(trx, project);
    await record(trx, { name: 'skip_secret_push_protection', by: user, entity, target, data: { custom_message } });
  },
  'ssh-certificate.added': (_, trx, change) => aboutSshCertificate(trx, 'create', change),
  'ssh-certificate.removed': (_, trx, change) => aboutSshCertificate(trx, 'delete', change),
  'deploy-token.created': (_, trx, change) => aboutDeployToken(trx, 'created', change),
  'deploy-token.removed': (_, trx, change) => aboutDeployToken(trx, 'destroyed', change),
  'environment.protection': async (_, trx, { rule, change: done, by }) => {
    const project = rule.project_id === null ? undefined : await projectById.first(trx, { id: rule.project_id });
    const group = await findNamespace(trx, rule.namespace_id);
    const entity = project ? await ofProject(trx, project) : group && ofGroup(group);
    if (!entity) return;
    const target = { type: 'ProtectedEnvironment', id: rule.id, details: rule.name };
    const data = done === 'protected' ? { add: 'protected_environment' } : { remove: 'protected_environment' };
    await record(trx, { name: `environment_${done}`, by, entity, target, data });
  },
  'feature-flag.changed': async (_, trx, { action, flag, by }) => {
    const project = await projectById.first(trx, { id: flag.project_id });
    if (!project) return;
    const target = { type: 'Operations::FeatureFlag', id: flag.id, details: flag.name };
    const custom_message = `${action.charAt(0).toUpperCase()}${action.slice(1)} feature flag ${flag.name}`;
    const entity = await ofProject(trx, project);
    await record(trx, { name: `feature_flag_${action}`, by, entity, target, data: { custom_message } });
  },
  'pages.changed': async (_, trx, { project, by, what, details }) => {
    const texts = { unpublished: 'Unpublished the site', settings: 'Changed the settings of the site' };
    const text = what === 'unpublished' || what === 'settings' ? texts[what] : `Site: ${what}`;
    const custom_message = details === '' ? text : `${text}: ${details}`;
    const target = { type: 'Project', id: project.id, details: project.name };
    const entity = await ofProject(trx, project);
    await record(trx, { name: `pages_${what.replace(' ', '_')}`, by, entity, target, data: { custom_message } });
  },
  'member.added': (_, trx, { member, by }) =>
    aboutMember(trx, 'member_created', member, by, {
      add: 'user_access',
      as: roleName(member.access_level),
      ...(member.member_role_id === null ? {} : { member_role_id: member.member_role_id }),
    }),
  'member.updated': (_, trx, { member, before, by }) =>
    aboutMember(trx, 'member_updated', member, by, {
      ...change('access_level', roleName(before.access_level), roleName(member.access_level)),
      ...(before.member_role_id === member.member_role_id
        ? {}
        : { member_role_from: before.member_role_id, member_role_to: member.member_role_id }),
      expiry_from: before.expires_at,
      expiry_to: member.expires_at,
    }),
  'member.removed': (_, trx, { member, by }) =>
    aboutMember(trx, 'member_destroyed', member, by, { remove: 'user_access' }),
  'member_role.created': (_, trx, change) => aboutMemberRole(trx, 'created', change, { add: 'member_role' }),
  'member_role.deleted': (_, trx, change) => aboutMemberRole(trx, 'deleted', change, { remove: 'member_role' }),
  'project.created': (_, trx, { project, by }) => aboutProject(trx, 'project_created', project, by, { add: 'project' }),
  'project.updated': async (_, trx, { project, before, by }) => {
    if (project.visibility !== before.visibility) {
      await aboutProject(trx, 'project_visibility_level_updated', project, by, visibility(before, project));
    }
    if (project.archived !== before.archived) {
      const name = project.archived === 1 ? 'project_archived' : 'project_unarchived';
      await aboutProject(trx, name, project, by, change('archived', before.archived === 1, project.archived === 1));
    }
    if (project.marked_for_deletion_at !== null && before.marked_for_deletion_at === null) {
      await aboutProject(trx, 'project_marked_for_deletion', project, by, {
        custom_message: 'Project marked for deletion',
      });
    }
  },
  'project.renamed': (_, trx, { project, formerPath, fullPath, by }) =>
    aboutProject(trx, 'project_path_updated', project, by, change('path', formerPath, fullPath)),
  'project.transferred': (_, trx, { project, from, to, by }) =>
    aboutProject(trx, 'project_namespace_updated', project, by, change('namespace', from.full_path, to.full_path)),
  'project.removed': (_, trx, { project }) =>
    aboutProject(trx, 'project_destroyed', project, null, { remove: 'project' }),
  'group.created': (_, trx, { group, by }) => aboutGroup(trx, 'group_created', group, by, { add: 'group' }),
  'group.updated': async (_, trx, { group, before, by }) => {
    if (group.visibility !== before.visibility) {
      await aboutGroup(trx, 'group_visibility_level_updated', group, by, visibility(before, group));
    }
    if (group.full_path !== before.full_path) {
      await aboutGroup(trx, 'group_path_updated', group, by, change('path', before.full_path, group.full_path));
    }
  },
  'group.transferred': (_, trx, { group, before, by }) =>
    aboutGroup(trx, 'group_transferred', group, by, change('path', before.full_path, group.full_path)),
  'group.removed': (_, trx, { group }) => aboutGroup(trx, 'group_destroyed', group, null, { remove: 'group' }),
  'user.created': async (_, trx, { user }) => {
    const target = { type: 'User', id: user.id, details: user.username };
    await record(trx, { name: 'user_created', by: null, entity: ofUser(user), target, data: { add: 'user' } });
  },
  'user.signed_up': async (_, trx, { user, ip }) => {
    const target = { type: 'User', id: user.id, details: user.username };
    const data = { custom_message: 'Instance access request', ip_address: ip };
    await record(trx, { name: 'registration_created', by: user, entity: ofUser(user), target, data });
  },
  'user.updated': async (_, trx, { user, before, changed }) => {
    const target = { type: 'User', id: user.id, details: user.username };
    const recorded = ['admin', 'auditor', 'email', 'username', 'password_digest'] as const;
    for (const column of recorded) {
      if (!changed.has(column)) continue;
      const secret = column === 'password_digest';
      const data = secret ? { change: 'password' } : change(column, before[column], user[column]);
      const name = secret ? 'user_password_updated' : `user_${column}_updated`;
      await record(trx, { name, by: null, entity: ofUser(user), target, data });
    }
  },
  'user.state_changed': async (_, trx, { user, from }) => {
    const target = { type: 'User', id: user.id, details: user.username };
    const data = change('state', from, user.state);
    await record(trx, { name: 'user_state_changed', by: null, entity: ofUser(user), target, data });
  },
  'user.removed': async (_, trx, { user }) => {
    const target = { type: 'User', id: user.id, details: user.username };
    await record(trx, { name: 'user_destroyed', by: null, entity: ofUser(user), target, data: { remove: 'user' } });
  },
};
