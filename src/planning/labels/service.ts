import type { SignedInActor } from '../../access/actor.ts';
import { lockNamespaceRow, selfAndDescendantIds } from '../../access/namespaces/hierarchy.ts';
import { isProject, namespaceOf, ownerColumnsOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, type ProjectSubject } from '../../access/subjects.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { BadRequest, Conflict, Forbidden, Invalid, NotFound, NotModified } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { readColor } from './color.ts';
import { countsOf } from './counts.ts';
import { listLabels as listRows } from './list.ts';
import { presentLabel } from './present.ts';
import type { GroupLabelEntity, LabelChangeParams, LabelListParams, NewLabelParams } from './schema.ts';
import { labelScopeOf } from './scope.ts';
import * as store from './store.ts';

export async function listLabels(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  params: LabelListParams,
  slice: Slice,
): Promise<Page<GroupLabelEntity>> {
  const { read } = services.db;
  const { search, archived } = params;
  let scope = await labelScopeOf(read, subject, params.include_ancestor_groups);
  if (params.include_descendant_groups && !isProject(subject)) {
    const below = await selfAndDescendantIds(read, subject.group.id);
    scope = { ...scope, namespaceIds: [...new Set([...scope.namespaceIds, ...below])] };
  }
  const reader = { userId: caller.user.id, projectsBelow: params.only_group_labels === false };
  const { rows, total } = await listRows(read, scope, reader, { search, archived }, slice);
  const page = new Page(rows, total);
  if (!params.with_counts) return page.map((row) => presentLabel(row, subject));
  const countsOfLabel = await countsOf(
    services,
    caller,
    subject,
    rows.map(({ id }) => id),
  );
  return page.map((row) => presentLabel(row, subject, countsOfLabel(row.id)));
}

export async function getLabel(
  { db }: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  { name, include_ancestor_groups }: { name: string; include_ancestor_groups: boolean },
): Promise<GroupLabelEntity> {
  return presentLabel(await requireLabel(db.read, caller, subject, name, include_ancestor_groups), subject);
}

async function requireLabel(
  db: Reader,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  name: string,
  ancestors = true,
): Promise<store.FoundLabel> {
  const label = await store.findLabel(db, await labelScopeOf(db, subject, ancestors), caller.user.id, name);
  if (!label) throw new NotFound('Label');
  return label;
}

function checkTitle(text: string): string {
  const title = text.trim();
  if (title === '') throw new Invalid({ title: ["can't be blank"] });
  const long = lengthProblem(title, 255);
  if (long !== undefined) throw new Invalid({ title: [long] });
  if (/[,\n\r]/.test(title)) throw new Invalid({ title: ['is invalid'] });
  return title;
}

function checkColor(text: string): string {
  const color = readColor(text);
  if (color === undefined) throw new Invalid({ color: ['must be a valid color code'] });
  return color;
}

function checkPriority(priority: number): number {
  if (priority < 0) throw new Invalid({ priority: ['must be greater than or equal to 0'] });
  return priority;
}

function refuseTaken(error: unknown): never {
  throw uniqueViolation(error) ? new Conflict('Label already exists') : error;
}

export async function createLabel(
  { db }: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  params: NewLabelParams,
): Promise<GroupLabelEntity> {
  const title = checkTitle(params.name);
  const color = checkColor(params.color);
  const now = Date.now();
  const id = await db
    .write(async (trx) => {
      if (!isProject(subject)) await lockNamespaceRow(trx, subject.group.id);
      const scope = await labelScopeOf(trx, subject, true);
      if (await store.findTitled(trx, scope, title)) throw new Conflict('Label already exists');
      const label = await store.insertLabel(trx, {
        ...ownerColumnsOf(subject),
        title,
        color,
        description: params.description ?? null,
        archived: params.archived ? 1 : 0,
        created_at: now,
        updated_at: now,
      });
      if (isProject(subject) && params.priority != null) {
        await store.setPriority(trx, label, subject.project.id, checkPriority(params.priority));
      }
      return label;
    })
    .catch(refuseTaken);
  return presentLabel(await requireLabel(db.read, caller, subject, String(id)), subject);
}

/**
 * A label can be changed where it is defined, or through a project directly in the group that defines it, by callers
 * who may change it in the group.
 */
async function checkEditable(
  db: Reader,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  label: store.FoundLabel,
): Promise<void> {
  if (isProject(subject) && label.project_id !== null) return;
  if (label.namespace_id !== namespaceOf(subject).id) throw new NotFound('Label');
  if (!isProject(subject)) return;
  if (!(await groupSubject(db, caller, subject.namespace)).can('admin_label')) throw new Forbidden();
}

export async function updateLabel(
  { db, announce }: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  name: string,
  params: LabelChangeParams,
): Promise<GroupLabelEntity> {
  const label = await requireLabel(db.read, caller, subject, name);
  const { new_name, color, description, archived, priority } = params;
  const columns = {
    ...(new_name === undefined ? {} : { title: checkTitle(new_name) }),
    ...(color === undefined ? {} : { color: checkColor(color) }),
    ...(description === undefined ? {} : { description }),
    ...(archived === undefined ? {} : { archived: archived ? 1 : 0 }),
  };
  const changed = Object.keys(columns).length > 0;
  if (changed) await checkEditable(db.read, caller, subject, label);
  await db
    .write(async (trx) => {
      if (changed) await store.updateLabel(trx, label.id, { ...columns, updated_at: Date.now() });
      if (priority === undefined || !isProject(subject)) return;
      const projectId = subject.project.id;
      await store.setPriority(trx, label.id, projectId, priority === null ? null : checkPriority(priority));
      await announce(trx, 'label.ranked', { labelId: label.id, projectId });
    })
    .catch(refuseTaken);
  return presentLabel(await requireLabel(db.read, caller, subject, String(label.id)), subject);
}

export async function deleteLabel(
  { db, announce }: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  name: string,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const label = await requireLabel(db.read, caller, subject, name);
  await checkEditable(db.read, caller, subject, label);
  checkUnmodified(http, label.updated_at);
  await db.write(async (trx) => {
    await announce(trx, 'label.removed', { labelId: label.id });
    await store.deleteLabels(trx, [label.id]);
  });
}

export async function setSubscribed(
  { db }: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  name: string,
  subscribed: boolean,
): Promise<GroupLabelEntity> {
  const label = await requireLabel(db.read, caller, subject, name);
  const changed = await db.write((trx) => store.setSubscribed(trx, label.id, caller.user.id, subscribed));
  if (!changed) throw new NotModified();
  return presentLabel({ ...label, subscribed: subscribed ? 1 : 0 }, subject);
}

/** Promotes a project label to a group label. All labels with this title in the group are merged into it. */
export async function promoteLabel(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  name: string,
): Promise<GroupLabelEntity> {
  const { db } = services;
  const label = await requireLabel(db.read, caller, subject, name, false);
  if (subject.namespace.kind !== 'group') throw BadRequest.plain('Failed to promote project label to group label');
  const group = await groupSubject(db.read, caller, subject.namespace);
  if (!group.can('admin_label')) throw new Forbidden();
  await db.write((trx) => promote(services, trx, subject.namespace.id, label)).catch(refuseTaken);
  return presentLabel(await requireLabel(db.read, caller, group, label.title), group);
}

const mergeBatchSize = 500;

async function promote(
  { announce }: Services,
  trx: Writer,
  namespaceId: number,
  { id, title }: store.FoundLabel,
): Promise<void> {
  // Two projects could promote labels with the same title concurrently, and each would delete the other's.
  await lockNamespaceRow(trx, namespaceId);
  // If the group already has a label with this title, it replaces all of them.
  const known = await store.findTitled(trx, { projectId: null, namespaceIds: [namespaceId] }, title);
  const moved = { project_id: null, namespace_id: namespaceId, updated_at: Date.now() };
  if (!known) await store.updateLabel(trx, id, moved);
  const intoId = known?.id ?? id;
  for (;;) {
    const labelIds = await store.labelsInside(trx, namespaceId, title, mergeBatchSize);
    if (labelIds.length === 0) return;
    await store.mergePriorities(trx, labelIds, intoId);
    await announce(trx, 'label.merged', { labelIds, intoId });
    await store.deleteLabels(trx, labelIds);
  }
}
