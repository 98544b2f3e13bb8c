import type { SignedInActor } from '../../../access/actor.ts';
import { isProject, ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Conflict, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { nameProblem } from '../rules.ts';
import { type GrantAction, type ProtectedEnvironmentRow, tiers } from '../tables.ts';
import { type GrantRequest, maxApprovals, problemOf, toGrant } from './grants.ts';
import { presentProtection } from './present.ts';
import type { ChangeParams, CreationParams, ProtectedEnvironmentEntity } from './schema.ts';
import * as store from './store.ts';

export async function listProtections(
  { db }: Services,
  owner: ProjectOrGroup,
  page: PageRequest,
): Promise<Page<ProtectedEnvironmentEntity>> {
  const { rows, total } = await store.listProtections(db.read, ownerColumnsOf(owner), page);
  return new Page((await store.withGrants(db.read, rows)).map(presentProtection), total);
}

async function find(db: Reader, owner: ProjectOrGroup, name: string): Promise<ProtectedEnvironmentRow> {
  const row = await store.findProtection(db, ownerColumnsOf(owner), name);
  if (!row) throw new NotFound();
  return row;
}

export async function getProtection(
  { db }: Services,
  owner: ProjectOrGroup,
  name: string,
): Promise<ProtectedEnvironmentEntity> {
  const [found] = await store.withGrants(db.read, [await find(db.read, owner, name)]);
  if (!found) throw new NotFound();
  return presentProtection(found);
}

function checkName(owner: ProjectOrGroup, name: string): string[] {
  if (!isProject(owner)) {
    const valid = (tiers as readonly string[]).includes(name);
    return valid ? [] : [`Name must be one of environment tiers: ${tiers.join(', ')}.`];
  }
  const problem = nameProblem(name);
  return problem === undefined ? [] : [`Name ${problem}`];
}

function checkCount(count: number | undefined): string[] {
  if (count === undefined || (count >= 0 && count <= maxApprovals)) return [];
  return [`Required approval count must be between 0 and ${maxApprovals}`];
}

async function rejectInvalid(
  db: Reader,
  owner: ProjectOrGroup,
  grants: readonly store.NewGrant[],
  otherProblems: string[],
) {
  const found = await Promise.all(grants.map((grant) => problemOf(db, owner, grant)));
  const problems = [...otherProblems, ...found.flatMap((problem) => problem ?? [])];
  if (problems.length > 0) throw new Unprocessable([...new Set(problems)]);
}

const maxGrants = 1000;

/** Limits the number of grants, because all are written in one transaction that blocks other writers. */
function rejectTooMany(...lists: readonly (readonly unknown[])[]): void {
  if (lists.some((elements) => elements.length > maxGrants)) {
    throw new Unprocessable([`Access levels and rules must be less than or equal to ${maxGrants}`]);
  }
}

/** Protects an environment of a project, which need not exist yet, or a deployment tier of a group. */
export async function protect(
  services: Services,
  caller: SignedInActor,
  owner: ProjectOrGroup,
  params: CreationParams,
): Promise<ProtectedEnvironmentEntity> {
  const { name, deploy_access_levels, required_approval_count = 0, approval_rules = [] } = params;
  rejectTooMany(deploy_access_levels, approval_rules);
  const grants = [
    ...deploy_access_levels.map((element) => toGrant('deploy', element)),
    ...approval_rules.map((element) => toGrant('approve', element)),
  ];
  const blank = deploy_access_levels.length === 0 ? ["Deploy access levels can't be blank"] : [];
  const problems = [...checkName(owner, name), ...checkCount(required_approval_count), ...blank];
  await rejectInvalid(services.db.read, owner, grants, problems);
  await services.db.write(async (trx) => {
    const rule = await store.insertProtection(trx, { ...ownerColumnsOf(owner), name, required_approval_count });
    if (!rule) throw new Conflict(`Protected environment '${name}' already exists`);
    await store.insertGrants(trx, rule.id, grants);
    await services.announce(trx, 'environment.protection', { rule, change: 'protected', by: caller.user });
  });
  return getProtection(services, owner, name);
}

export async function updateProtection(
  services: Services,
  owner: ProjectOrGroup,
  params: ChangeParams,
): Promise<ProtectedEnvironmentEntity> {
  const { name, deploy_access_levels = [], required_approval_count, approval_rules = [] } = params;
  rejectTooMany(deploy_access_levels, approval_rules);
  const { id } = await find(services.db.read, owner, name);
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'protected_environments', id))) throw new NotFound();
    await rejectInvalid(trx, owner, [], checkCount(required_approval_count));
    await store.updateProtection(trx, id, required_approval_count === undefined ? {} : { required_approval_count });
    await changeGrants(trx, owner, id, 'deploy', deploy_access_levels);
    await changeGrants(trx, owner, id, 'approve', approval_rules);
  });
  return getProtection(services, owner, name);
}

async function changeGrants(
  trx: Writer,
  owner: ProjectOrGroup,
  id: number,
  action: GrantAction,
  elements: readonly GrantRequest[],
): Promise<void> {
  if (elements.length === 0) return;
  const present = (await store.grantsOf(trx, [id])).filter((grant) => grant.action === action);
  for (const element of elements) {
    const before = present.find((grant) => grant.id === element.id);
    if (element.id !== undefined && !before) throw new NotFound();
    if (before && element._destroy === true) {
      await store.deleteGrant(trx, before.id);
      continue;
    }
    const grant = toGrant(action, element, before);
    await rejectInvalid(trx, owner, [grant], []);
    if (before) await store.updateGrant(trx, before.id, grant);
    else await store.insertGrants(trx, id, [grant]);
  }
}

export async function unprotect(
  services: Services,
  caller: SignedInActor,
  owner: ProjectOrGroup,
  name: string,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const rule = await find(services.db.read, owner, name);
  checkUnmodified(http, rule.updated_at);
  await services.db.write(async (trx) => {
    if (!(await store.deleteProtection(trx, rule.id))) throw new NotFound();
    await services.announce(trx, 'environment.protection', { rule, change: 'unprotected', by: caller.user });
  });
}
