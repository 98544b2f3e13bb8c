import { findUser } from '../../access/credentials/identify.ts';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { Role, roleName } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import type { Member, Namespace, Project, User } from '../../access/tables.ts';
import { rolesByIds } from '../../namespaces/member-roles/public.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { instant } from '../../platform/http/schema.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { composeEmail, messageId } from './compose.ts';
import { recipientsIn, recipientsInGroup, send } from './recipients.ts';
import { membersEndingOn, membersWithRole } from './store.ts';

/** Something that happened to the access of a user to a project or group. */
interface AccessChange extends Pick<Member, 'project_id' | 'namespace_id'> {
  readonly what: 'granted' | 'role changed' | 'expiry changed' | 'ending' | 'requested' | 'denied' | 'accepted';
  readonly userId: number;
  /** The role as of the change; null for a request. */
  readonly role: Pick<Member, 'access_level' | 'member_role_id' | 'expires_at'> | null;
  /** Who made the change; for an accepted invitation, who invited. */
  readonly byId: number | null;
  readonly at: number;
}

interface EndingPage {
  readonly day: string;
  /** ID of the last membership processed. */
  readonly after: number;
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'mail.access-changed': AccessChange;
    /** Tells members that their membership ends in a week. */
    'mail.memberships-ending': EndingPage;
  }
}

async function enqueue(
  { queue }: Services,
  trx: Writer,
  what: AccessChange['what'],
  { member, byId }: { readonly member: Member; readonly byId: number | null },
): Promise<void> {
  const { user_id: userId, project_id, namespace_id, access_level, member_role_id, expires_at } = member;
  const role = { access_level, member_role_id, expires_at };
  await queue.enqueue(trx, 'mail.access-changed', {
    ...{ what, userId, project_id, namespace_id, role, byId },
    at: Date.now(),
  });
}

/** Nobody is told of their own changes; bots read no e-mails, and roles of a directory are not news. */
async function isTold(trx: Writer, member: Member, by: User | null): Promise<boolean> {
  if (member.ldap === 1 || by?.id === member.user_id) return false;
  return (await findUser(trx, member.user_id))?.kind === 'human';
}

export async function onNewMember(
  services: Services,
  trx: Writer,
  { member, by }: DomainEvents['member.added'],
): Promise<void> {
  if (await isTold(trx, member, by)) await enqueue(services, trx, 'granted', { member, byId: by?.id ?? null });
}

export async function onChangedMember(
  services: Services,
  trx: Writer,
  { member, before, by }: DomainEvents['member.updated'],
): Promise<void> {
  const isOther = member.access_level !== before.access_level || member.member_role_id !== before.member_role_id;
  if (!isOther && member.expires_at === before.expires_at) return;
  if (!(await isTold(trx, member, by))) return;
  await enqueue(services, trx, isOther ? 'role changed' : 'expiry changed', { member, byId: by?.id ?? null });
}

/** Tells the inviter. */
export async function onAcceptedInvitation(
  services: Services,
  trx: Writer,
  { member }: DomainEvents['invitation.accepted'],
): Promise<void> {
  if (member.created_by_id !== null) {
    await enqueue(services, trx, 'accepted', { member, byId: member.created_by_id });
  }
}

export async function onAccessRequest(
  { queue }: Services,
  trx: Writer,
  { user, projectId, namespaceId }: DomainEvents['access.requested'],
): Promise<void> {
  await queue.enqueue(trx, 'mail.access-changed', {
    ...{ what: 'requested', userId: user.id, byId: user.id, role: null, at: Date.now() },
    ...{ project_id: projectId, namespace_id: namespaceId },
  });
}

/** A withdrawn request is no news. */
export async function onDeniedAccess(
  { queue }: Services,
  trx: Writer,
  { userId, projectId, namespaceId, by }: DomainEvents['access.denied'],
): Promise<void> {
  if (by.id === userId) return;
  await queue.enqueue(trx, 'mail.access-changed', {
    ...{ what: 'denied', userId, byId: by.id, role: null, at: Date.now() },
    ...{ project_id: projectId, namespace_id: namespaceId },
  });
}

interface Place {
  readonly project: Project | undefined;
  /** The group, or the one that the project is in. */
  readonly namespace: Namespace;
  readonly name: string;
  readonly url: string;
}

async function placeOf({ db: { read }, externalUrl }: Services, change: AccessChange): Promise<Place | undefined> {
  const project = change.project_id === null ? undefined : await findProject(read, change.project_id);
  const namespace = await findNamespace(read, project?.namespace_id ?? change.namespace_id);
  // A project that was deleted in the meantime.
  if (!namespace || (change.project_id !== null && !project)) return undefined;
  return {
    project,
    namespace,
    name: project ? `${namespace.full_name} / ${project.name}` : namespace.full_name,
    url: project
      ? `${externalUrl}/${namespace.full_path}/${project.path}`
      : `${externalUrl}/groups/${namespace.full_path}`,
  };
}

const maxAsked = 10;

/** Returns those who can approve a request: members of the place itself or, if there are none, of the groups above. */
async function approversOf(db: Reader, { project, namespace }: Place): Promise<number[]> {
  const own = { projectId: project?.id ?? null, namespaceId: project ? null : namespace.id, above: [] };
  const direct = await membersWithRole(db, own, project ? Role.maintainer : Role.owner);
  const around = { projectId: null, namespaceId: namespace.id, above: await selfAndAncestorIds(db, namespace.id) };
  const found = direct.length > 0 ? direct : await membersWithRole(db, around, Role.owner);
  const ids = found.map(({ id }) => id);
  return (namespace.owner_id === null ? ids : [...new Set([namespace.owner_id, ...ids])]).slice(0, maxAsked);
}

async function roleText(db: Reader, { access_level, member_role_id }: NonNullable<AccessChange['role']>) {
  const custom = (await rolesByIds(db, [member_role_id])).get(member_role_id ?? 0);
  return custom?.name ?? roleName(access_level);
}

const until = (expires_at: number | null) => (expires_at === null ? '' : ` until ${instant(expires_at).slice(0, 10)}`);

/** Returns the subject, the sentence and the reason of an e-mail. */
async function textOf({ db: { read } }: Services, change: AccessChange, { project, name }: Place) {
  const place = `the ${project ? 'project' : 'group'} ${name}`;
  const [user, by] = [await findUser(read, change.userId), await findUser(read, change.byId)];
  const who = by ? `${by.name} (@${by.username})` : undefined;
  const asking = user ? `${user.name} (@${user.username})` : 'Somebody';
  const role = change.role ? await roleText(read, change.role) : '';
  const ends = until(change.role?.expires_at ?? null);
  const member = `You get this because you are a member of ${place}.`;
  switch (change.what) {
    case 'granted':
      return [
        `Access to ${place} was granted`,
        `${who === undefined ? 'You now have' : `${who} gave you`} the role ${role} in ${place}${ends}.`,
        member,
      ];
    case 'role changed':
      return [
        `Your role in ${place} was changed`,
        `${who === undefined ? 'You now have' : `${who} gave you`} the role ${role} in ${place}${ends}.`,
        member,
      ];
    case 'expiry changed':
      return [
        `The expiry date of your membership in ${place} was changed`,
        ends === '' ? `Your membership in ${place} no longer expires.` : `You are a member of ${place}${ends}.`,
        member,
      ];
    case 'ending':
      return [`Your membership in ${place} ends in 7 days`, `You are a member of ${place}${ends}.`, member];
    case 'requested':
      return [
        `Request to join ${place}`,
        `${asking} asked for access to ${place}.`,
        `You get this because you can give access to ${place}.`,
      ];
    case 'denied':
      return [
        `Access to ${place} was denied`,
        `Your request to join ${place} was denied.`,
        'You get this because you asked for access.',
      ];
    case 'accepted':
      return [
        'Invitation accepted',
        `${asking} accepted your invitation to ${place} as ${role}.`,
        'You get this because you sent the invitation.',
      ];
  }
}

/** Notifies the user, or those who decide on or wait for the change, unless they disabled notifications there. */
export async function notifyOfAccess(services: Services, job: Job<AccessChange>): Promise<void> {
  const change = job.payload;
  const place = await placeOf(services, change);
  if (!place) return;
  const { project, namespace, name, url } = place;
  const people =
    change.what === 'requested'
      ? await approversOf(services.db.read, place)
      : [change.what === 'accepted' ? change.byId : change.userId].filter((id) => id !== null);
  const wants = ({ level }: { readonly level: string }) => level !== 'disabled';
  const told = project
    ? await recipientsIn(services, project, people, wants)
    : await recipientsInGroup(services, namespace, people, wants);
  const [subject = '', says = '', reason = ''] = told.length === 0 ? [] : await textOf(services, change, place);
  const { what, userId, at } = change;
  const page = what === 'requested' ? `/-/${project ? 'project_members' : 'group_members'}` : '';
  const whereabouts = project ? `project-${project.id}` : `group-${namespace.id}`;
  const messages = told.map(({ user, email }) =>
    composeEmail({
      to: email,
      subject,
      says: [says],
      link: { text: name, url: `${url}${page}` },
      reason,
      id: messageId(services.externalUrl, 'access', what.replace(' ', '-'), whereabouts, userId, at, user.id),
    }),
  );
  await send(services, job, messages);
}

const dayMs = 86_400_000;
const atOnce = 100;

/** Enqueues the notifications for memberships that end in a week. */
export async function notifyOfEndingMemberships({ db, queue }: Services, now = Date.now()): Promise<void> {
  const day = new Date(now + 7 * dayMs).toISOString().slice(0, 10);
  await db.write((trx) => queue.enqueue(trx, 'mail.memberships-ending', { day, after: 0 }, { dedupeKey: day }));
}

/** Processes one page of memberships and enqueues the next in the same transaction, so that each is notified once. */
export async function notifyPageOfEndingMemberships(services: Services, job: Job<EndingPage>): Promise<void> {
  const { day, after } = job.payload;
  const found = await membersEndingOn(services.db.read, day, after, atOnce);
  await services.db.write(async (trx) => {
    for (const member of found) await enqueue(services, trx, 'ending', { member, byId: null });
    const last = found.at(-1);
    if (last && found.length === atOnce) {
      await services.queue.enqueue(trx, 'mail.memberships-ending', { day, after: last.id });
    }
    await job.finish(trx);
  });
}
