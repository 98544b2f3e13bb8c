import { findUser } from '../../access/credentials/identify.ts';
import { roleName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import { isSignUpOpen } from '../../people/sessions/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { composeEmail, messageId } from './compose.ts';

/** Invites a person without an account, who becomes a member with the account that has this address. */
export async function onInvitation(
  services: Services,
  trx: Writer,
  { invitation, by }: DomainEvents['member.invited'],
): Promise<void> {
  const project = invitation.project_id === null ? undefined : await findProject(trx, invitation.project_id);
  const namespace = await findNamespace(trx, project?.namespace_id ?? invitation.namespace_id);
  if (!namespace) return;
  const name = project ? `${namespace.full_name} / ${project.name}` : namespace.full_name;
  const path = project ? `${namespace.full_path}/${project.path}` : `groups/${namespace.full_path}`;
  const email = new URLSearchParams({ 'user[email]': invitation.email });
  const link = isSignUpOpen(await services.settings.read())
    ? { text: 'Sign up', url: `${services.externalUrl}/users/sign_up?${email}` }
    : { text: 'View it', url: `${services.externalUrl}/${path}` };
  const message = composeEmail({
    to: invitation.email,
    subject: `${by.name} invited you to ${name}`,
    says: [
      `${by.name} (@${by.username}) invited you to join ${name} as ${roleName(invitation.access_level)}.`,
      `You become a member as soon as you have an account with the confirmed address ${invitation.email}.`,
    ],
    link,
    reason: 'You get this because someone entered your address. If you do not know them, ignore this email.',
    id: messageId(services.externalUrl, 'invitation', invitation.id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

/** Tells the owner about a new key, because an attacker may have added it. */
export async function onKey(services: Services, trx: Writer, { kind, key }: DomainEvents['key.added']): Promise<void> {
  const user = await findUser(trx, key.user_id);
  if (user?.kind !== 'human') return;
  const named = kind === 'ssh' ? `An SSH key, "${key.title}",` : 'A GPG key';
  const fingerprint = kind === 'ssh' ? key.fingerprint_sha256 : key.fingerprint;
  const message = composeEmail({
    to: user.email,
    subject: `A new ${kind === 'ssh' ? 'SSH' : 'GPG'} key was added to your account`,
    says: [`${named} was added to your account @${user.username}.`, `Fingerprint: ${fingerprint}`],
    link: { text: 'Your account', url: `${services.externalUrl}/${user.username}` },
    reason: 'If it was not you, remove the key and change your password.',
    id: messageId(services.externalUrl, `${kind}-key`, key.id),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

/** Tells the owner of a token that somebody else revoked it: whatever uses it has stopped working. */
export async function onRevokedToken(
  services: Services,
  trx: Writer,
  { token, by }: DomainEvents['token.revoked'],
): Promise<void> {
  if (by === null || by.id === token.user_id || token.impersonation === 1) return;
  const user = await findUser(trx, token.user_id);
  if (user?.kind !== 'human' || user.state !== 'active') return;
  const message = composeEmail({
    to: user.email,
    subject: 'A personal access token of yours was revoked',
    says: [`The token "${token.name}" of your account @${user.username} was revoked by ${by.name} (@${by.username}).`],
    link: { text: 'Your tokens', url: `${services.externalUrl}/-/user_settings/personal_access_tokens` },
    reason: 'Whatever uses it needs another token.',
    id: messageId(services.externalUrl, 'token-revoked', token.id),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

/** Tells a deactivated user why they were signed out and how to reactivate the account. */
export async function onDeactivation(
  services: Services,
  trx: Writer,
  { user }: DomainEvents['user.state_changed'],
): Promise<void> {
  if (user.state !== 'deactivated' || user.kind !== 'human') return;
  const { user_deactivation_emails_enabled: enabled, deactivation_email_additional_text: added } =
    await services.settings.read();
  if (!enabled) return;
  const message = composeEmail({
    to: user.email,
    subject: 'Your account has been deactivated',
    says: [`The account @${user.username} has been deactivated. Sign in to reactivate it.`, ...(added ? [added] : [])],
    link: { text: 'Sign in', url: `${services.externalUrl}/users/sign_in` },
    reason: 'You get this because your address belongs to the account.',
    id: messageId(services.externalUrl, 'deactivation', user.id, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

/** Tells the user who started an import how it ended. Canceled imports are not reported. */
export async function onImportEnded(
  services: Services,
  trx: Writer,
  { projectId, userId, status, error }: DomainEvents['import.ended'],
): Promise<void> {
  const user = await findUser(trx, userId);
  const project = await findProject(trx, projectId);
  const namespace = project && (await findNamespace(trx, project.namespace_id));
  if (status === 'canceled' || user?.kind !== 'human' || user.state !== 'active' || !namespace) return;
  const name = `${namespace.full_name} / ${project.name}`;
  const failed = `The import of ${name} has failed.`;
  const message = composeEmail({
    to: user.email,
    subject: `${project.name} | ${status === 'failed' ? 'Project could not be imported' : 'Project was imported'}`,
    says: status === 'failed' ? [failed, ...(error === null ? [] : [error])] : [`${name} has been imported.`],
    link: { text: name, url: `${services.externalUrl}/${namespace.full_path}/${project.path}` },
    reason: 'You get this because you started the import.',
    id: messageId(services.externalUrl, 'import', projectId, Date.now()),
  });
  await services.queue.enqueue(trx, 'mail.send', message);
}

/** A user exceeded the download limit of a group or the instance: notifies the configured recipients. */
export async function onExcessiveDownloads(
  services: Services,
  trx: Writer,
  { user, group, limit, seconds, banned, alert }: DomainEvents['download-limit.exceeded'],
): Promise<void> {
  const where = group ? `the group ${group.full_name}` : 'this server';
  for (const id of alert) {
    const recipient = await findUser(trx, id);
    if (recipient?.kind !== 'human' || recipient.state !== 'active') continue;
    const done = banned ? ' They were banned.' : '';
    const message = composeEmail({
      to: recipient.email,
      subject: `@${user.username} downloaded more than ${limit} projects`,
      says: [`@${user.username} downloaded more than ${limit} projects of ${where} within ${seconds} seconds.${done}`],
      reason: 'You get this because you are on the alert list of the download limit.',
      id: messageId(services.externalUrl, 'downloads', group?.id ?? 0, user.id, recipient.id, Date.now()),
    });
    await services.queue.enqueue(trx, 'mail.send', message);
  }
}
