import { type Actor, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import { type GroupSubject, type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Conflict, Forbidden, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import {
  type EpicAssignment,
  type IssueRow,
  type IssueState,
  issueScope,
  issuesById,
  issueTarget,
  mayReadIssue,
  presentIssues,
  setEpicOf,
  stateOf,
} from '../../issues/public.ts';
import { addSystemNote } from '../../notes/public.ts';
import { positionBetween } from '../../positions.ts';
import { groupOfEpic, mayRead } from '../access.ts';
import { presentEpic, readableEpic, targetOf } from '../service.ts';
import { epicReference, issueReference } from '../short-references.ts';
import { epicsById, findEpic, groupPaths } from '../store.ts';
import type { EpicIssueRow, EpicRow } from '../tables.ts';
import { epicIssueList } from './list.ts';
import type { EpicIssueEntity, EpicIssueLinkEntity } from './schema.ts';
import * as store from './store.ts';

/** Returns a page of the epic's issues that the caller may read. */
export async function listEpicIssues(
  services: Services,
  caller: Actor,
  subject: GroupSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<EpicIssueEntity>> {
  const epic = await readableEpic(services, subject, iid);
  const scope = { ...issueScope(caller, null), epic: epic.id };
  const order = { by: 'position', direction: 'asc' } as const;
  const { rows, total } = await epicIssueList.page(services.db.read, scope, {}, order, page);
  const found = await issuesById(
    services.db.read,
    rows.map(({ issue_id }) => issue_id),
  );
  const issues = rows.flatMap(({ issue_id }) => found.get(issue_id) ?? []);
  const entities = await presentIssues(services, caller, issues, { within: { groupPath: subject.group.full_path } });
  const byIssue = new Map(entities.map((entity) => [entity.id, entity]));
  const shown = rows.flatMap(({ id, issue_id, relative_position }) => {
    const entity = byIssue.get(issue_id);
    return entity ? [{ ...entity, epic_issue_id: id, relative_position }] : [];
  });
  return new Page(shown, total);
}

/** Returns an issue of any project that the caller may read and assign to an epic. */
async function assignableIssue(
  { db }: Services,
  caller: SignedInActor,
  id: number,
): Promise<{ readonly state: IssueState; readonly project: ProjectSubject }> {
  const issue = (await issuesById(db.read, [id])).get(id);
  const row = issue && (await findProject(db.read, issue.project_id));
  const project = row && (await projectSubject(db.read, caller, row));
  if (!issue || !project?.can('read_project')) throw new NotFound('Issue');
  const state = await stateOf(db.read, issue);
  if (!mayReadIssue(caller, project, issue, state.assigneeIds)) throw new NotFound('Issue');
  if (project.levels.highest < Role.guest && !isAdmin(caller)) throw new Forbidden();
  return { state, project };
}

const confidentialEpicError =
  'Cannot assign a confidential epic to a non-confidential issue. Make the issue confidential and try again';

/** Assigns an issue to an epic or removes it from one, with a system note on both. */
export async function setEpic(
  trx: Writer,
  userId: number,
  issue: IssueRow,
  epic: EpicRow | null,
): Promise<EpicIssueRow | null> {
  const present = (await store.linksOf(trx, [issue.id])).get(issue.id);
  if (epic && epic.confidential === 1 && issue.confidential === 0) throw new Unprocessable(confidentialEpicError);
  if ((present?.epic_id ?? null) === (epic?.id ?? null)) return present ?? null;
  const before = present && (await lockRow(trx, 'epics', present.epic_id, 'keep'));
  const project = await findProject(trx, issue.project_id);
  if (!project) throw new NotFound('Issue');
  const around = [epic, before].flatMap((each) => each?.namespace_id ?? []);
  const paths = await groupPaths(trx, [...around, project.namespace_id]);
  const placeOf = (id: number) => ({ id, full_path: paths.get(id) ?? '' });
  const home = placeOf(project.namespace_id);
  const reference = (each: EpicRow) => epicReference(placeOf(each.namespace_id), home, each.iid);
  const named = (each: EpicRow) => issueReference(placeOf(each.namespace_id), project, home, issue.iid);
  if (before) {
    await addSystemNote(trx, targetOf(before), userId, `removed issue ${named(before)}`);
    if (!epic) await addSystemNote(trx, issueTarget(issue), userId, `removed from epic ${reference(before)}`);
  }
  const link = epic ? await store.linkIssue(trx, epic.id, issue.id) : null;
  if (epic) {
    const text = before ? `changed epic to ${reference(epic)}` : `added to epic ${reference(epic)}`;
    await addSystemNote(trx, issueTarget(issue), userId, text);
    await addSystemNote(trx, targetOf(epic), userId, `added issue ${named(epic)}`);
  } else await store.unlinkIssue(trx, issue.id);
  await setEpicOf(trx, issue.id, epic?.id ?? null);
  return link;
}

async function presentLink(
  services: Services,
  caller: SignedInActor,
  link: EpicIssueRow,
  epic: EpicRow,
): Promise<EpicIssueLinkEntity> {
  const issue = (await issuesById(services.db.read, [link.issue_id])).get(link.issue_id);
  const [entity] = await presentIssues(services, caller, issue ? [issue] : [], { within: null });
  if (!entity) throw new NotFound('Issue');
  const { id, relative_position } = link;
  return { id, relative_position, epic: await presentEpic(services, caller, epic), issue: entity };
}

export async function addIssue(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
  issueId: number,
): Promise<EpicIssueLinkEntity> {
  const epic = await readableEpic(services, subject, iid);
  if (!subject.can('admin_epic_relation')) throw new Forbidden();
  const { state } = await assignableIssue(services, caller, issueId);
  const link = await services.db.write(async (trx) => {
    const issue = await lockRow(trx, 'issues', state.issue.id);
    if (!issue) throw new NotFound('Issue');
    if (issue.epic_id === epic.id) throw new Conflict('Issue(s) already assigned');
    return setEpic(trx, caller.user.id, issue, epic);
  });
  if (!link) throw new NotFound('Issue');
  return presentLink(services, caller, link, epic);
}

async function requireLink(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
  id: number,
): Promise<{ readonly epic: EpicRow; readonly link: EpicIssueRow; readonly issue: IssueRow }> {
  const epic = await readableEpic(services, subject, iid);
  const link = (await store.linksById(services.db.read, [id])).get(id);
  if (!link || link.epic_id !== epic.id) throw NotFound.record();
  if (!subject.can('admin_epic_relation')) throw new Forbidden();
  const { state } = await assignableIssue(services, caller, link.issue_id);
  return { epic, link, issue: state.issue };
}

export async function removeIssue(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
  id: number,
): Promise<EpicIssueLinkEntity> {
  const { epic, link, issue } = await requireLink(services, caller, subject, iid, id);
  const entity = await presentLink(services, caller, link, epic);
  await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'issues', issue.id);
    if (locked) await setEpic(trx, caller.user.id, locked, null);
  });
  return entity;
}

/** Moves an issue of an epic between two others; returns the epic's issues in their new order. */
export async function moveIssue(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  params: {
    readonly epic_iid: number;
    readonly epic_issue_id: number;
    readonly move_before_id?: number;
    readonly move_after_id?: number;
  },
  page: PageRequest,
): Promise<Page<EpicIssueEntity>> {
  const { epic, link } = await requireLink(services, caller, subject, params.epic_iid, params.epic_issue_id);
  const { move_before_id, move_after_id } = params;
  await services.db.write(async (trx) => {
    await lockRow(trx, 'epics', epic.id);
    const place = async () => {
      const near = await store.linksById(
        trx,
        [move_before_id, move_after_id].flatMap((each) => each ?? []),
      );
      const at = (each: number | undefined) => {
        const found = each === undefined ? undefined : near.get(each);
        if (each !== undefined && found?.epic_id !== epic.id) throw NotFound.record();
        return found?.relative_position;
      };
      return positionBetween(at(move_before_id), at(move_after_id));
    };
    let position = await place();
    if (position === undefined) {
      await store.spreadIssues(trx, epic.id);
      position = await place();
    }
    if (position === undefined) throw new Unprocessable();
    await store.moveLink(trx, link.id, position);
  });
  return listEpicIssues(services, caller, subject, params.epic_iid, page);
}

/** Implements `epic_id` and `epic_iid` of issues; the IID is resolved in the project's group. */
export const assignEpic: EpicAssignment = async (_services, trx, caller, subject, issue, { epic_id, epic_iid }) => {
  if ((epic_id ?? epic_iid ?? 0) === 0) {
    await setEpic(trx, caller.user.id, issue, null);
    return issue.epic_id !== null;
  }
  const epic = epic_id
    ? (await epicsById(trx, [epic_id])).get(epic_id)
    : await findEpic(trx, subject.namespace.id, epic_iid ?? 0);
  const group = epic && (await groupOfEpic(trx, caller, epic));
  if (!epic || !group || !mayRead(group, epic) || !group.can('admin_epic_relation')) throw new NotFound('Epic');
  await setEpic(trx, caller.user.id, issue, epic);
  return issue.epic_id !== epic.id;
};
