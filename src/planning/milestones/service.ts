import type { Actor, SignedInActor } from '../../access/actor.ts';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { isProject, namespaceOf, ownerColumnsOf, ownerOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { viewerOf } from '../../access/visibility/visible.ts';
import { recordEvent } from '../../namespaces/events/public.ts';
import { nextInternalId } from '../../namespaces/internal-ids/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { acquireLock, lockRow } from '../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { type MilestoneScope, milestoneList } from './list.ts';
import { presentMilestone } from './present.ts';
import { milestoneError, milestoneProblems, titleInUse } from './rules.ts';
import type { MilestoneChangeParams, MilestoneEntity, MilestoneListParams, NewMilestoneParams } from './schema.ts';
import * as store from './store.ts';
import type { MilestoneRow } from './tables.ts';

/** Throws for a project whose issues and merge requests the caller cannot read. */
export function requireShown(place: ProjectOrGroup): void {
  if (isProject(place) && !place.can('read_issue') && !place.can('read_merge_request')) throw new Forbidden();
}

/** The ancestor groups of a project, or a group and its ancestors. */
async function lineOf(db: Reader, place: ProjectOrGroup): Promise<number[]> {
  const namespace = namespaceOf(place);
  return namespace.kind === 'group' ? selfAndAncestorIds(db, namespace.id) : [];
}

async function scopesFor(
  db: Reader,
  caller: Actor,
  place: ProjectOrGroup,
  { ancestors, descendants }: { readonly ancestors: boolean; readonly descendants: boolean },
): Promise<MilestoneScope[]> {
  const viewer = viewerOf(caller);
  const scopes: MilestoneScope[] = [];
  const own = isProject(place) ? place.project.id : place.group.id;
  if (isProject(place)) scopes.push({ ...viewer, kind: 'project', owner: own });
  const line = ancestors ? await lineOf(db, place) : isProject(place) ? [] : [own];
  if (line.length > 0) scopes.push({ ...viewer, kind: 'groups', owners: line });
  if (descendants) {
    scopes.push({ ...viewer, kind: 'groups below', owner: own }, { ...viewer, kind: 'projects below', owner: own });
  }
  return scopes;
}

export async function presentMilestones(
  { db, externalUrl }: Services,
  rows: readonly Pick<MilestoneRow, 'id'>[],
): Promise<MilestoneEntity[]> {
  const ids = rows.map(({ id }) => id);
  const found = await store.milestonesById(db.read, ids);
  return ids.flatMap((id) => {
    const row = found.get(id);
    return row ? [presentMilestone(row, externalUrl)] : [];
  });
}

export async function listMilestones(
  services: Services,
  caller: Actor,
  place: ProjectOrGroup,
  params: MilestoneListParams,
  page: PageRequest,
): Promise<Page<MilestoneEntity>> {
  requireShown(place);
  const { include_ancestors, include_parent_milestones, include_descendants = false, iids, ...others } = params;
  const ancestors = include_ancestors || include_parent_milestones === true;
  // IIDs are only unique within one project or group.
  const filters = ancestors || iids === undefined ? others : { ...others, iids };
  const scopes = await scopesFor(services.db.read, caller, place, { ancestors, descendants: include_descendants });
  const order = { by: 'due_date', direction: 'asc' } as const;
  const { rows, total } = await milestoneList.page(services.db.read, scopes, filters, order, page);
  return new Page(await presentMilestones(services, rows), total);
}

/** Returns a milestone that belongs to exactly this project or group. */
export async function requireMilestone(
  { db }: Services,
  place: ProjectOrGroup,
  id: number,
): Promise<store.FoundMilestone> {
  requireShown(place);
  const found = (await store.milestonesById(db.read, [id])).get(id);
  const { project_id, namespace_id } = ownerColumnsOf(place);
  if (!found || found.project_id !== project_id || found.namespace_id !== namespace_id) throw NotFound.record();
  return found;
}

export async function getMilestone(services: Services, place: ProjectOrGroup, id: number): Promise<MilestoneEntity> {
  return presentMilestone(await requireMilestone(services, place, id), services.externalUrl);
}

async function presentOne(services: Services, { id }: MilestoneRow): Promise<MilestoneEntity> {
  const [entity] = await presentMilestones(services, [{ id }]);
  if (!entity) throw NotFound.record();
  return entity;
}

export async function recordActivity(
  trx: Writer,
  { id, iid, title, project_id, namespace_id }: MilestoneRow,
  authorId: number,
  action: 'created' | 'closed' | 'reopened' | 'destroyed',
): Promise<void> {
  const target = { type: 'Milestone' as const, id, iid, title };
  await recordEvent(trx, {
    projectId: project_id,
    namespaceId: namespace_id,
    authorId,
    action,
    audience: 'issues',
    target,
  });
}

/** Milestones with the same title in a project and its ancestor groups would be ambiguous. */
async function checkTitle(
  trx: Writer,
  verb: 'create' | 'update',
  title: string,
  place: ProjectOrGroup,
  except: number,
) {
  await acquireLock(trx, 'titles of milestones');
  const line = await lineOf(trx, place);
  if (await store.titleTaken(trx, title, ownerColumnsOf(place), line, except)) throw milestoneError(verb, titleInUse);
}

export async function createMilestone(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  params: NewMilestoneParams,
): Promise<MilestoneEntity> {
  requireShown(place);
  const { description = null, start_date = null, due_date = null } = params;
  const title = params.title.trim();
  const problems = milestoneProblems({ title, start_date, due_date });
  if (Object.keys(problems).length > 0) throw milestoneError('create', problems);
  const owner = ownerColumnsOf(place);
  const milestone = await services.db
    .write(async (trx) => {
      await checkTitle(trx, 'create', title, place, 0);
      const iid = await nextInternalId(trx, ownerOf(owner), 'milestones');
      const now = Date.now();
      const row = { ...owner, iid, title, description, start_date, due_date, created_at: now, updated_at: now };
      const inserted = await store.insertMilestone(trx, row);
      const actorId = caller.user.id;
      await recordActivity(trx, inserted, actorId, 'created');
      await services.announce(trx, 'milestone.changed', { action: 'create', actorId, milestone: inserted });
      return inserted;
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? milestoneError('create', titleInUse) : error;
    });
  return presentOne(services, milestone);
}

/** Returns the columns that a request changes; unchanged values are left out. */
function changesOf(before: MilestoneRow, params: MilestoneChangeParams): Partial<Omit<MilestoneRow, 'id'>> {
  const { title, description, start_date, due_date, state_event } = params;
  const wanted = {
    ...(title === undefined ? {} : { title: title.trim() }),
    ...(description === undefined ? {} : { description }),
    ...(start_date === undefined ? {} : { start_date }),
    ...(due_date === undefined ? {} : { due_date }),
    ...(state_event === undefined
      ? {}
      : { state: state_event === 'close' ? ('closed' as const) : ('active' as const) }),
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => before[name as keyof MilestoneRow] !== value),
  );
}

export async function updateMilestone(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  id: number,
  params: MilestoneChangeParams,
): Promise<MilestoneEntity> {
  await requireMilestone(services, place, id);
  const actorId = caller.user.id;
  const milestone = await services.db
    .write(async (trx) => {
      const before = await lockRow(trx, 'milestones', id);
      if (!before) throw NotFound.record();
      const change = changesOf(before, params);
      if (Object.keys(change).length === 0) return before;
      const problems = milestoneProblems({ ...before, ...change });
      if (Object.keys(problems).length > 0) throw milestoneError('update', problems);
      if (change.title !== undefined) await checkTitle(trx, 'update', change.title, place, id);
      const after = await store.updateMilestone(trx, id, { ...change, updated_at: Date.now() });
      const event = change.state === 'closed' ? 'close' : change.state === 'active' ? 'reopen' : undefined;
      if (event) await recordActivity(trx, after, actorId, event === 'close' ? 'closed' : 'reopened');
      const announcement = { action: event ?? 'update', actorId, before, milestone: after } as const;
      await services.announce(trx, 'milestone.changed', announcement);
      return after;
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? milestoneError('update', titleInUse) : error;
    });
  return presentOne(services, milestone);
}

export async function deleteMilestone(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  id: number,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const { updated_at } = await requireMilestone(services, place, id);
  checkUnmodified(http, updated_at);
  await services.db.write(async (trx) => {
    const milestone = await lockRow(trx, 'milestones', id, 'remove');
    if (!milestone) throw NotFound.record();
    await services.announce(trx, 'milestone.removed', { actorId: caller.user.id, milestone });
    await store.deleteMilestones(trx, [id]);
    await recordActivity(trx, milestone, caller.user.id, 'destroyed');
  });
}
