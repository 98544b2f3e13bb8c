import type { SignedInActor } from '../../../access/actor.ts';
import { columnsOf, isProject, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Conflict, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { nameProblem } from '../rules.ts';
import { type GrantAction, type ProtectedEnvironmentRow, tiers } from '../tables.ts';
import { type GrantRequest, maxApprovals, problemOf, toGrant } from './grants.ts';
import { presentProtection } from './present.ts';
import type { ChangeParams, CreationParams, ProtectedEnvironmentEntity } from './schema.ts';
import * as store from './store.ts';

export async function listProtections(
  { db }: Services,
  place: ProjectOrGroup,
  page: PageRequest,
): Promise<Page<ProtectedEnvironmentEntity>> {
  const { rows, total } = await store.listProtections(db.read, columnsOf(place), page);
  return new Page((await store.withGrants(db.read, rows)).map(presentProtection), total);
}

async function find(db: Reader, place: ProjectOrGroup, name: string): Promise<ProtectedEnvironmentRow> {
  const row = await store.findProtection(db, columnsOf(place), name);
  if (!row) throw new NotFound();
  return row;
}

export async function getProtection(
  { db }: Services,
  place: ProjectOrGroup,
  name: string,
): Promise<ProtectedEnvironmentEntity> {
  const [found] = await store.withGrants(db.read, [await find(db.read, place, name)]);
  if (!found) throw new NotFound();
  return presentProtection(found);
}

function checkName(place: ProjectOrGroup, name: string): string[] {
  if (!isProject(place)) {
    const known = (tiers as readonly string[]).includes(name);
    return known ? [] : [`Name must be one of environment tiers: ${tiers.join(', ')}.`];
  }
  const problem = nameProblem(name);
  return problem === undefined ? [] : [`Name ${problem}`];
}

function checkCount(count: number | undefined): string[] {
  if (count === undefined || (count >= 0 && count <= maxApprovals)) return [];
  return [`Required approval count must be between 0 and ${maxApprovals}`];
}

async function refuseAny(db: Reader, place: ProjectOrGroup, grants: readonly store.NewGrant[], known: string[]) {
  const found = await Promise.all(grants.map((grant) => problemOf(db, place, grant)));
  const problems = [...known, ...found.flatMap((problem) => problem ?? [])];
  if (problems.length > 0) throw new Unprocessable([...new Set(problems)]);
}

const maxGrants = 1000;

/** What is sent is written at once, and everybody else who writes waits for it. */
function refuseMany(...sent: readonly (readonly unknown[])[]): void {
  if (sent.some((elements) => elements.length > maxGrants)) {
    throw new Unprocessable([`Access levels and rules must be less than or equal to ${maxGrants}`]);
  }
}

/** Protects an environment of a project, whether it is there yet or not, or those of a tier in a group. */
export async function protect(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  params: CreationParams,
): Promise<ProtectedEnvironmentEntity> {
  const { name, deploy_access_levels, required_approval_count = 0, approval_rules = [] } = params;
  refuseMany(deploy_access_levels, approval_rules);
  const grants = [
    ...deploy_access_levels.map((element) => toGrant('deploy', element)),
    ...approval_rules.map((element) => toGrant('approve', element)),
  ];
  const blank = deploy_access_levels.length === 0 ? ["Deploy access levels can't be blank"] : [];
  const problems = [...checkName(place, name), ...checkCount(required_approval_count), ...blank];
  await refuseAny(services.db.read, place, grants, problems);
  await services.db.write(async (trx) => {
    const rule = await store.insertProtection(trx, { ...columnsOf(place), name, required_approval_count });
    if (!rule) throw new Conflict(`Protected environment '${name}' already exists`);
    await store.insertGrants(trx, rule.id, grants);
    await services.announce(trx, 'environment.protection', { rule, change: 'protected', by: caller.user });
  });
  return getProtection(services, place, name);
}

export async function updateProtection(
  services: Services,
  place: ProjectOrGroup,
  params: ChangeParams,
): Promise<ProtectedEnvironmentEntity> {
  const { name, deploy_access_levels = [], required_approval_count, approval_rules = [] } = params;
  refuseMany(deploy_access_levels, approval_rules);
  const { id } = await find(services.db.read, place, name);
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'protected_environments', id))) throw new NotFound();
    await refuseAny(trx, place, [], checkCount(required_approval_count));
    await store.updateProtection(trx, id, required_approval_count === undefined ? {} : { required_approval_count });
    await changeGrants(trx, place, id, 'deploy', deploy_access_levels);
    await changeGrants(trx, place, id, 'approve', approval_rules);
  });
  return getProtection(services, place, name);
}

async function changeGrants(
  trx: Writer,
  place: ProjectOrGroup,
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
    await refuseAny(trx, place, [grant], []);
    if (before) await store.updateGrant(trx, before.id, grant);
    else await store.insertGrants(trx, id, [grant]);
  }
}

export async function unprotect(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  name: string,
): Promise<void> {
  const rule = await find(services.db.read, place, name);
  await services.db.write(async (trx) => {
    if (!(await store.deleteProtection(trx, rule.id))) throw new NotFound();
    await services.announce(trx, 'environment.protection', { rule, change: 'unprotected', by: caller.user });
  });
}
