import type { Actor } from '../../../access/actor.ts';
import { selfAndAncestorIds } from '../../../access/namespaces/hierarchy.ts';
import { isProject, ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import { Role } from '../../../access/roles.ts';
import type { Database, Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Conflict, Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { grantAppliesTo } from '../access.ts';
import * as grantStore from '../grant-store.ts';
import { checkGrants, type GrantRequest, grantsFor, toGrant } from '../grants.ts';
import { readPattern } from '../pattern.ts';
import { pusherOf } from '../pusher.ts';
import * as store from '../store.ts';
import type { GrantAction, ProtectedBranchRow } from '../tables.ts';
import { presentBranchRule } from './present.ts';
import type { ProtectedBranchEntity } from './schema.ts';

/** Parameters to protect a branch. */
export interface BranchProtection {
  readonly name: string;
  readonly push_access_level?: number;
  readonly merge_access_level?: number;
  readonly unprotect_access_level?: number;
  readonly allow_force_push?: boolean;
  readonly code_owner_approval_required?: boolean;
  readonly allowed_to_push?: readonly GrantRequest[];
  readonly allowed_to_merge?: readonly GrantRequest[];
  readonly allowed_to_unprotect?: readonly GrantRequest[];
}

export async function presentBranchRules(
  db: Reader,
  rows: readonly ProtectedBranchRow[],
): Promise<ProtectedBranchEntity[]> {
  const grants = await grantStore.grantsOf(
    db,
    'branch_id',
    rows.map((row) => row.id),
  );
  return rows.map((row) => presentBranchRule(row, grants));
}

export async function listBranchRules(
  db: Database,
  place: ProjectOrGroup,
  search: string | undefined,
  slice: Slice,
): Promise<Page<ProtectedBranchEntity>> {
  const owner = isProject(place)
    ? { projectId: place.project.id, namespaceIds: await selfAndAncestorIds(db.read, place.namespace.id) }
    : { projectId: null, namespaceIds: [place.group.id] };
  const { rows, total } = await store.listBranchRules(db.read, owner, search, slice);
  return new Page(await presentBranchRules(db.read, rows), total);
}

async function find(db: Reader, place: ProjectOrGroup, name: string): Promise<ProtectedBranchRow> {
  const rule = isProject(place)
    ? await store.nearestBranchRule(db, place.project, name)
    : await store.findBranchRule(db, ownerColumnsOf(place), name);
  if (!rule) throw NotFound.record();
  return rule;
}

export async function getBranchRule(db: Database, place: ProjectOrGroup, name: string): Promise<ProtectedBranchEntity> {
  const [entity] = await presentBranchRules(db.read, [await find(db.read, place, name)]);
  return entity as ProtectedBranchEntity;
}

/** Protects a branch, or all branches matching a wildcard. */
export async function protectBranch(
  db: Database,
  place: ProjectOrGroup,
  params: BranchProtection,
): Promise<ProtectedBranchEntity> {
  const name = readPattern(params.name);
  const grants = [
    ...grantsFor('push', params.push_access_level, params.allowed_to_push),
    ...grantsFor('merge', params.merge_access_level, params.allowed_to_merge),
    ...grantsFor('unprotect', params.unprotect_access_level, params.allowed_to_unprotect),
  ];
  await checkGrants(db.read, place, grants);
  const row = await db.write(async (trx) => {
    const rule = await store.insertBranchRule(trx, ownerColumnsOf(place), {
      name,
      allow_force_push: params.allow_force_push ?? false,
      code_owner_approval_required: params.code_owner_approval_required ?? false,
    });
    if (!rule) throw new Conflict(`Protected branch '${name}' already exists`);
    await grantStore.insertGrants(trx, { branch_id: rule.id }, grants);
    return rule;
  });
  return (await presentBranchRules(db.read, [row]))[0] as ProtectedBranchEntity;
}

/** Updates a rule. As this can weaken the protection, it requires the same access as removing the rule. */
export async function updateBranchRule(
  db: Database,
  actor: Actor,
  place: ProjectOrGroup,
  name: string,
  change: Omit<BranchProtection, 'name' | 'push_access_level' | 'merge_access_level'>,
): Promise<ProtectedBranchEntity> {
  const { id } = await find(db.read, place, name);
  const extra = change.unprotect_access_level === undefined ? [] : [{ access_level: change.unprotect_access_level }];
  const lists: [GrantAction, readonly GrantRequest[]][] = [
    ['push', change.allowed_to_push ?? []],
    ['merge', change.allowed_to_merge ?? []],
    ['unprotect', [...extra, ...(change.allowed_to_unprotect ?? [])]],
  ];
  const requested = lists.flatMap(([action, elements]) =>
    elements.filter((each) => each._destroy !== true).map((each) => toGrant(action, each)),
  );
  const changedIds = new Set(lists.flatMap(([, elements]) => elements.map((each) => each.id)));
  await db.write(async (trx) => {
    // Of two concurrent requests adding the same grant, the second one sees the first.
    const row = await lockRow(trx, 'protected_branches', id);
    if (!row) throw NotFound.record();
    const grants = await mayUnprotect(trx, actor, place, row);
    const unchanged = grants.filter((grant) => !changedIds.has(grant.id));
    await checkGrants(trx, place, requested, unchanged);
    await store.updateBranchRule(trx, id, {
      ...(change.allow_force_push === undefined ? {} : { allow_force_push: change.allow_force_push ? 1 : 0 }),
      ...(change.code_owner_approval_required === undefined
        ? {}
        : { code_owner_approval_required: change.code_owner_approval_required ? 1 : 0 }),
    });
    for (const [action, elements] of lists) await changeGrants(trx, id, action, elements);
  });
  return getBranchRule(db, place, name);
}

async function changeGrants(
  trx: Writer,
  rule: number,
  action: GrantAction,
  elements: readonly GrantRequest[],
): Promise<void> {
  for (const element of elements) {
    if (element.id === undefined) {
      await grantStore.insertGrants(trx, { branch_id: rule }, [toGrant(action, element)]);
      continue;
    }
    const change = element._destroy === true ? 'remove' : toGrant(action, element);
    if (!(await grantStore.changeGrant(trx, rule, action, element.id, change))) throw NotFound.record();
  }
}

/** Removes a rule, if its grants allow the actor to do so. */
export async function unprotectBranch(
  db: Database,
  actor: Actor,
  place: ProjectOrGroup,
  name: string,
  check?: (changedAt: number) => void,
): Promise<void> {
  const row = await find(db.read, place, name);
  await mayUnprotect(db.read, actor, place, row);
  check?.(row.updated_at);
  await db.write((trx) => store.deleteBranchRule(trx, row.id));
}

/** Throws 403 unless the actor may unprotect. Rules inherited from a group can only be changed there. */
async function mayUnprotect(
  db: Reader,
  actor: Actor,
  place: ProjectOrGroup,
  row: ProtectedBranchRow,
): Promise<readonly grantStore.NamedGrant[]> {
  const all = await grantStore.grantsOf(db, 'branch_id', [row.id]);
  if (!isProject(place)) return all;
  if (row.project_id === null) throw new Forbidden();
  const grants = all.filter((grant) => grant.action === 'unprotect');
  const pusher = await pusherOf(db, actor, place, [
    { name: row.name, allowForcePush: false, codeOwners: false, grants },
  ]);
  // The permission of a custom role counts as the role of a Maintainer, who may unprotect by default.
  const asMaintainer = place.standing.permissions.has('admin_protected_branch');
  const applies = (grant: grantStore.NamedGrant) =>
    grantAppliesTo(grant, pusher) || (asMaintainer && grant.access_level === Role.maintainer);
  if (grants.length > 0 && !grants.some(applies)) throw new Forbidden();
  return all;
}
