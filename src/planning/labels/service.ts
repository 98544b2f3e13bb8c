import type { Actor } from '../../access/actor.ts';
import { ancestorsOf, descendantsOf, holdNamespace } from '../../access/namespaces.ts';
import { columnsOf, isProject, namespaceOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { groupSubject, type ProjectSubject } from '../../access/subjects.ts';
import type { Database, Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { BadRequest, Conflict, Forbidden, Invalid, NotFound, NotModified } from '../../platform/http/errors.ts';
import { escapeHtml } from '../../platform/http/html.ts';
import { Page } from '../../platform/http/pagination.ts';
import { tooLong } from '../../platform/http/too-long.ts';
import { readColor, textColor } from './color.ts';
import type { GroupLabelEntity, ProjectLabelEntity } from './schema.ts';
import * as store from './store.ts';

export interface LabelList {
  readonly search?: string;
  readonly archived?: boolean;
  readonly with_counts: boolean;
  readonly include_ancestor_groups: boolean;
  readonly include_descendant_groups?: boolean;
  readonly only_group_labels?: boolean;
}

export interface LabelChange {
  readonly new_name?: string;
  readonly color?: string;
  readonly description?: string;
  readonly archived?: boolean;
  readonly priority?: number | null;
}

/** A place's own labels and, unless told otherwise, those of the groups above. */
async function scopeOf(db: Reader, place: ProjectOrGroup, ancestors: boolean): Promise<store.LabelScope> {
  const { project_id: projectId, namespace_id: groupId } = columnsOf(place);
  const { kind, id } = namespaceOf(place);
  if (ancestors && kind === 'group') return { projectId, namespaceIds: await ancestorsOf(db, id) };
  return { projectId, namespaceIds: groupId === null ? [] : [groupId] };
}

export async function listLabels(
  db: Database,
  actor: Actor,
  place: ProjectOrGroup,
  options: LabelList,
  slice: Slice,
): Promise<Page<GroupLabelEntity>> {
  let scope = await scopeOf(db.read, place, options.include_ancestor_groups);
  if (options.include_descendant_groups && !isProject(place)) {
    const below = await descendantsOf(db.read, place.group.id);
    scope = { ...scope, namespaceIds: [...new Set([...scope.namespaceIds, ...below])] };
  }
  if (options.only_group_labels === false) scope = { ...scope, projectsBelow: true };
  const { rows, total } = await store.listLabels(db.read, scope, actor.user?.id ?? 0, options, slice);
  return new Page(rows, total).map((row) => presentLabel(row, place, options.with_counts));
}

export async function getLabel(
  db: Database,
  actor: Actor,
  place: ProjectOrGroup,
  name: string,
  ancestors = true,
): Promise<store.FoundLabel> {
  const scope = await scopeOf(db.read, place, ancestors);
  const label = await store.findLabel(db.read, scope, actor.user?.id ?? 0, name);
  if (!label) throw new NotFound('Label');
  return label;
}

/** The entity of a label as one place shows it. */
export function presentLabel(
  label: store.FoundLabel,
  place: ProjectOrGroup,
  counts = false,
): GroupLabelEntity | ProjectLabelEntity {
  const entity: GroupLabelEntity = {
    id: label.id,
    name: label.title,
    description: label.description,
    description_html: escapeHtml(label.description ?? ''),
    text_color: textColor(label.color),
    color: label.color,
    archived: label.archived === 1,
    subscribed: label.subscribed === 1,
    // Nothing carries labels yet; the areas of issues and merge requests count theirs here.
    ...(counts ? { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 } : {}),
  };
  if (!isProject(place)) return entity;
  return { ...entity, priority: label.priority, is_project_label: label.project_id !== null };
}

function checkTitle(text: string): string {
  const title = text.trim();
  if (title === '') throw new Invalid({ title: ["can't be blank"] });
  const long = tooLong(title, 255);
  if (long !== undefined) throw new Invalid({ title: [long] });
  if (/[,\n\r]/.test(title)) throw new Invalid({ title: ['is invalid'] });
  return title;
}

function checkColor(text: string): string {
  const color = readColor(text);
  if (color === undefined) throw new Invalid({ color: ['must be a valid color code'] });
  return color;
}

function taken(error: unknown): never {
  throw uniqueViolation(error) ? new Conflict('Label already exists') : error;
}

export async function createLabel(
  db: Database,
  actor: Actor,
  place: ProjectOrGroup,
  wanted: { name: string; color: string; description?: string; archived?: boolean; priority?: number | null },
): Promise<GroupLabelEntity> {
  const title = checkTitle(wanted.name);
  const color = checkColor(wanted.color);
  const now = Date.now();
  const id = await db
    .write(async (trx) => {
      if (!isProject(place)) await holdNamespace(trx, place.group.id);
      const scope = await scopeOf(trx, place, true);
      if (await store.findTitled(trx, scope, title)) throw new Conflict('Label already exists');
      const label = await store.insertLabel(trx, {
        ...columnsOf(place),
        title,
        color,
        description: wanted.description ?? null,
        archived: wanted.archived ? 1 : 0,
        created_at: now,
        updated_at: now,
      });
      if (isProject(place) && wanted.priority != null) {
        await store.setPriority(trx, label, place.project.id, checkPriority(wanted.priority));
      }
      return label;
    })
    .catch(taken);
  return presentLabel(await getLabel(db, actor, place, String(id)), place);
}

function checkPriority(priority: number): number {
  if (priority < 0) throw new Invalid({ priority: ['must be greater than or equal to 0'] });
  return priority;
}

/**
 * A label is changed where it belongs, or in a project of the very group it belongs to: there only by those who may
 * change it in the group.
 */
async function checkEditable(
  db: Database,
  actor: Actor,
  place: ProjectOrGroup,
  label: store.FoundLabel,
): Promise<void> {
  if (isProject(place) && label.project_id !== null) return;
  if (label.namespace_id !== namespaceOf(place).id) throw new NotFound('Label');
  if (!isProject(place)) return;
  if (!(await groupSubject(db.read, actor, place.namespace)).can('admin_label')) throw new Forbidden();
}

export async function updateLabel(
  db: Database,
  actor: Actor,
  place: ProjectOrGroup,
  name: string,
  change: LabelChange,
): Promise<GroupLabelEntity> {
  const label = await getLabel(db, actor, place, name);
  const { new_name, color, description, archived, priority } = change;
  const columns = {
    ...(new_name === undefined ? {} : { title: checkTitle(new_name) }),
    ...(color === undefined ? {} : { color: checkColor(color) }),
    ...(description === undefined ? {} : { description }),
    ...(archived === undefined ? {} : { archived: archived ? 1 : 0 }),
  };
  const changed = Object.keys(columns).length > 0;
  if (changed) await checkEditable(db, actor, place, label);
  await db
    .write(async (trx) => {
      if (changed) await store.updateLabel(trx, label.id, { ...columns, updated_at: Date.now() });
      if (priority === undefined || !isProject(place)) return;
      await store.setPriority(trx, label.id, place.project.id, priority === null ? null : checkPriority(priority));
    })
    .catch(taken);
  return presentLabel(await getLabel(db, actor, place, String(label.id)), place);
}

export async function deleteLabel(db: Database, actor: Actor, place: ProjectOrGroup, name: string): Promise<void> {
  const label = await getLabel(db, actor, place, name);
  await checkEditable(db, actor, place, label);
  await db.write((trx) => store.deleteLabel(trx, label.id));
}

export async function subscribeToLabel(
  db: Database,
  actor: Actor,
  place: ProjectOrGroup,
  name: string,
  wanted: boolean,
): Promise<GroupLabelEntity> {
  const label = await getLabel(db, actor, place, name);
  const changed = await db.write((trx) => store.subscribe(trx, label.id, actor.user?.id ?? 0, wanted));
  if (!changed) throw new NotModified();
  return presentLabel({ ...label, subscribed: wanted ? 1 : 0 }, place);
}

/** Makes a project's label one of its group: every label of that title below becomes the one label. */
export async function promoteLabel(
  db: Database,
  actor: Actor,
  place: ProjectSubject,
  name: string,
): Promise<GroupLabelEntity> {
  const label = await getLabel(db, actor, place, name, false);
  if (place.namespace.kind !== 'group') throw BadRequest.plain('Failed to promote project label to group label');
  const group = await groupSubject(db.read, actor, place.namespace);
  if (!group.can('admin_label')) throw new Forbidden();
  await db.write((trx) => promote(trx, place.namespace.id, label)).catch(taken);
  return presentLabel(await getLabel(db, actor, group, label.title), group);
}

async function promote(trx: Writer, namespaceId: number, { id, title }: store.FoundLabel): Promise<void> {
  // Two projects may promote labels of one title at once: each would remove the other's.
  await holdNamespace(trx, namespaceId);
  // One that the group has already takes the place of all of them.
  const known = await store.findTitled(trx, { projectId: null, namespaceIds: [namespaceId] }, title);
  const moved = { project_id: null, namespace_id: namespaceId, updated_at: Date.now() };
  if (!known) await store.updateLabel(trx, id, moved);
  await store.deleteInside(trx, namespaceId, title);
}
