import { type Actor, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, projectSubject, readableProject } from '../../../access/subjects.ts';
import { findProjects, subjectsOf } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRows } from '../../../platform/database/locks.ts';
import { Conflict, Forbidden, HttpError, Unprocessable } from '../../../platform/http/errors.ts';
import { instant } from '../../../platform/http/schema.ts';
import { addSystemNote } from '../../notes/public.ts';
import { mayRead } from '../access.ts';
import { targetOf } from '../changes/records.ts';
import { presentIssues } from '../present.ts';
import { readableIssue } from '../service.ts';
import { assigneeIds, issuesById, pathsOfProjects } from '../store.ts';
import type { IssueLinkRow, IssueRow } from '../tables.ts';
import type { IssueLinkEntity, LinkType, NewLinkParams, RelatedIssueEntity } from './schema.ts';
import * as store from './store.ts';

/** Reference to an issue as seen from another issue: `#1` within the same project. */
export async function relativeReference(trx: Writer, place: IssueRow, issue: IssueRow): Promise<string> {
  if (place.project_id === issue.project_id) return `#${issue.iid}`;
  const paths = await pathsOfProjects(trx, [place.project_id, issue.project_id]);
  const [here = '', there = ''] = [paths.get(place.project_id), paths.get(issue.project_id)];
  const namespaceOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
  const near = namespaceOf(here) === namespaceOf(there);
  return `${near ? there.slice(there.lastIndexOf('/') + 1) : there}#${issue.iid}`;
}

/** Filters issues to those that the caller can read. */
async function readableAmong({ db }: Services, caller: Actor, issues: readonly IssueRow[]): Promise<IssueRow[]> {
  const projects = await findProjects(db.read, [...new Set(issues.map(({ project_id }) => project_id))]);
  const [subjects, assigned] = await Promise.all([
    subjectsOf(db.read, caller, projects),
    assigneeIds(
      db.read,
      issues.map(({ id }) => id),
    ),
  ]);
  const byProject = new Map(subjects.map((subject) => [subject.project.id, subject]));
  return issues.filter((issue) => {
    const subject = byProject.get(issue.project_id);
    return subject?.can('read_project') && mayRead(caller, subject, issue, assigned.get(issue.id) ?? []);
  });
}

/** The link type as seen from one end of the link. */
function typeFrom({ link_type, source_id }: IssueLinkRow, issueId: number): LinkType {
  return link_type === 'blocks' && source_id !== issueId ? 'is_blocked_by' : link_type;
}

export async function listLinks(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
): Promise<RelatedIssueEntity[]> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  const links = await store.linksOf(services.db.read, issue.id);
  const otherOf = ({ source_id, target_id }: IssueLinkRow) => (source_id === issue.id ? target_id : source_id);
  const others = await issuesById(services.db.read, links.map(otherOf));
  const readable = await readableAmong(services, caller, [...others.values()]);
  const entities = await presentIssues(services, caller, readable, { within: { projectId: issue.project_id } });
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  return links.flatMap((link) => {
    const entity = byId.get(otherOf(link));
    if (!entity) return [];
    return {
      ...entity,
      issue_link_id: link.id,
      link_type: typeFrom(link, issue.id),
      link_created_at: instant(link.created_at),
      link_updated_at: instant(link.updated_at),
    };
  });
}

async function presentLink(services: Services, caller: Actor, link: IssueLinkRow): Promise<IssueLinkEntity> {
  const issues = await issuesById(services.db.read, [link.source_id, link.target_id]);
  const readable = await readableAmong(services, caller, [...issues.values()]);
  const entities = await presentIssues(services, caller, readable, { within: null });
  const source_issue = entities.find(({ id }) => id === link.source_id);
  const target_issue = entities.find(({ id }) => id === link.target_id);
  if (!source_issue || !target_issue) throw noLink();
  return { id: link.id, source_issue, target_issue, link_type: link.link_type };
}

const noLink = () => new HttpError(404, { message: 'No Issue Link found' });

async function requireLink(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  id: number,
): Promise<{ link: IssueLinkRow; entity: IssueLinkEntity }> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  const link = await store.findLink(services.db.read, id);
  if (!link || (link.source_id !== issue.id && link.target_id !== issue.id)) throw noLink();
  return { link, entity: await presentLink(services, caller, link) };
}

export async function getLink(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  id: number,
): Promise<IssueLinkEntity> {
  return (await requireLink(services, caller, subject, iid, id)).entity;
}

const isMember = (caller: Actor, { levels }: ProjectSubject) => levels.highest >= Role.guest || isAdmin(caller);

export async function createLink(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { issue_iid, target_project_id, target_issue_iid, link_type }: NewLinkParams,
): Promise<IssueLinkEntity> {
  const { issue } = await readableIssue(services, caller, subject, issue_iid);
  const place = target_project_id === null ? subject : await readableProject(services.db, caller, target_project_id);
  const { issue: target } = await readableIssue(services, caller, place, target_issue_iid);
  if (!isMember(caller, subject) || !isMember(caller, place) || subject.archived || place.archived) {
    throw Forbidden.plain("Couldn't link issues. You must have at least the Guest role in both projects.");
  }
  if (issue.id === target.id) throw new Unprocessable(`#${issue.iid} cannot be added: cannot be related to itself`);
  const link = await services.db.write((trx) => linkIssues(trx, caller.user.id, issue, target, link_type));
  if (!link) throw new Conflict('Issue(s) already assigned');
  return presentLink(services, caller, link);
}

const addLinkNotes = {
  relates_to: (reference: string) => `marked this issue as related to ${reference}`,
  blocks: (reference: string) => `marked this issue as blocking ${reference}`,
  is_blocked_by: (reference: string) => `marked this issue as blocked by ${reference}`,
} as const;
const opposite = { relates_to: 'relates_to', blocks: 'is_blocked_by', is_blocked_by: 'blocks' } as const;

/** Links two issues and adds a system note to both; returns undefined if they are already linked or gone. */
export async function linkIssues(
  trx: Writer,
  userId: number,
  issue: IssueRow,
  other: IssueRow,
  type: LinkType,
): Promise<IssueLinkRow | undefined> {
  // The unique index knows one direction only: without the lock, each issue could be linked to the other at once.
  const ends = await lockRows(trx, 'issues', [issue.id, other.id]);
  if (ends.length < 2) return undefined;
  if (await store.linkBetween(trx, issue.id, other.id)) return undefined;
  const [source, target] = type === 'is_blocked_by' ? [other, issue] : [issue, other];
  const link_type = type === 'relates_to' ? 'relates_to' : 'blocks';
  const link = await store.insertLink(trx, { source_id: source.id, target_id: target.id, link_type });
  if (!link) return undefined;
  if (link_type === 'blocks') await store.recountBlocked(trx, [source.id]);
  await addSystemNote(trx, targetOf(issue), userId, addLinkNotes[type](await relativeReference(trx, issue, other)));
  await addSystemNote(
    trx,
    targetOf(other),
    userId,
    addLinkNotes[opposite[type]](await relativeReference(trx, other, issue)),
  );
  return link;
}

/** Deletes a link and adds a system note to both issues; returns false if it has been deleted concurrently. */
export async function unlinkIssues(trx: Writer, userId: number, link: IssueLinkRow): Promise<boolean> {
  const ends = await lockRows(trx, 'issues', [link.source_id, link.target_id]);
  if (!(await store.deleteLink(trx, link.id))) return false;
  if (link.link_type === 'blocks') await store.recountBlocked(trx, [link.source_id]);
  const [one, other] = [link.source_id, link.target_id].map((id) => ends.find((issue) => issue.id === id));
  if (!one || !other) return true;
  await addSystemNote(
    trx,
    targetOf(one),
    userId,
    `removed the relation with ${await relativeReference(trx, one, other)}`,
  );
  await addSystemNote(
    trx,
    targetOf(other),
    userId,
    `removed the relation with ${await relativeReference(trx, other, one)}`,
  );
  return true;
}

export async function deleteLink(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  id: number,
): Promise<IssueLinkEntity> {
  const { link, entity } = await requireLink(services, caller, subject, iid, id);
  const ends = await findProjects(services.db.read, [entity.source_issue.project_id, entity.target_issue.project_id]);
  for (const project of ends) {
    if (!isMember(caller, await projectSubject(services.db.read, caller, project))) throw noLink();
  }
  if (!(await services.db.write((trx) => unlinkIssues(trx, caller.user.id, link)))) throw noLink();
  return entity;
}

/** Closing an issue ends the blocks on it; reopening restores them. */
export async function updateBlocksOnStateChange(
  _services: Services,
  trx: Writer,
  { action, after }: { readonly action: string; readonly after: { readonly issue: IssueRow } },
): Promise<void> {
  if (action !== 'close' && action !== 'reopen') return;
  await store.recountBlocked(trx, await store.blockersOf(trx, after.issue.id));
}

export async function recountBlockedOnRemoval(
  _services: Services,
  trx: Writer,
  { issue }: { readonly issue: IssueRow },
): Promise<void> {
  await store.recountBlocked(trx, await store.blockersOf(trx, issue.id), issue.id);
}
