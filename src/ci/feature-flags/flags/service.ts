import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { BadRequest, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import type { ParamsOf } from '../../../platform/http/params.ts';
import { nameProblems } from '../rules.ts';
import type { FlagRow } from '../tables.ts';
import { flagList } from './list.ts';
import { presentFlag, presentFlags } from './present.ts';
import type { ChangeParams, CreationParams, FeatureFlagEntity, StrategyChanges } from './schema.ts';
import * as store from './store.ts';
import { planStrategies, strategyProblems } from './strategies.ts';
import type { Planned, Strategy } from './strategy.ts';

const maxFlags = 200;

async function requireFlag(db: Reader, { project }: ProjectSubject, name: string): Promise<FlagRow> {
  const flag = await store.flagNamed(db, project.id, name);
  if (!flag) throw NotFound.record();
  return flag;
}

export async function listFlags(
  { db }: Services,
  { project }: ProjectSubject,
  filters: ParamsOf<typeof flagList.params>,
  page: PageRequest,
): Promise<Page<FeatureFlagEntity>> {
  const order = { by: 'name', direction: 'asc' } as const;
  const { rows, total } = await flagList.page(db.read, { project: project.id }, filters, order, page);
  return new Page(await presentFlags(db.read, rows), total);
}

export async function getFlag({ db }: Services, subject: ProjectSubject, name: string): Promise<FeatureFlagEntity> {
  return presentFlag(db.read, await requireFlag(db.read, subject, name));
}

interface Named {
  readonly name?: string;
  readonly description?: string | null;
}

/** Validates a flag and reports all errors at once. Returns the planned changes to its strategies. */
async function validateFlag(
  trx: Writer,
  projectId: number,
  { name, description }: Named,
  current: readonly Strategy[],
  changes: StrategyChanges,
): Promise<Planned> {
  const planned = planStrategies(current, changes);
  const named = planned.saved.flatMap(({ userListId }) => userListId ?? []);
  const lists = await store.ownLists(trx, projectId, named);
  const problems = name === undefined ? [] : nameProblems(name);
  const lengthError = lengthProblem(description ?? '', 255);
  if (lengthError !== undefined) problems.push(`Description ${lengthError}`);
  problems.push(...strategyProblems(planned, lists));
  if (problems.length > 0) throw BadRequest.plain(problems);
  return planned;
}

const asDuplicateNameError = (error: unknown) =>
  uniqueViolation(error) ? BadRequest.plain(['Name has already been taken']) : error;

export async function createFlag(
  services: Services,
  { user }: SignedInActor,
  { project }: ProjectSubject,
  { name, description = null, active, version = 'new_version_flag', strategies = [] }: CreationParams,
): Promise<FeatureFlagEntity> {
  if (version !== 'new_version_flag') throw new Unprocessable('Version is invalid');
  const now = Date.now();
  const row = { project_id: project.id, name, description, active: Number(active), created_at: now, updated_at: now };
  return services.db
    .write(async (trx) => {
      await acquireLock(trx, `feature flags of ${project.id}`);
      const planned = await validateFlag(trx, project.id, { name, description }, [], strategies);
      if ((await store.countFlags(trx, project.id)) >= maxFlags) {
        throw BadRequest.plain([`Maximum number of project feature flags (${maxFlags}) exceeded`]);
      }
      const flag = await store.insertFlag(trx, row);
      await store.saveStrategies(trx, flag.id, planned);
      await services.announce(trx, 'feature-flag.changed', { action: 'created', flag, by: user });
      return presentFlag(trx, flag);
    })
    .catch((error: unknown) => {
      throw asDuplicateNameError(error);
    });
}

export async function updateFlag(
  services: Services,
  { user }: SignedInActor,
  subject: ProjectSubject,
  { feature_flag_name, name, description, active, strategies = [] }: ChangeParams,
): Promise<FeatureFlagEntity> {
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(active === undefined ? {} : { active: Number(active) }),
    updated_at: Date.now(),
  };
  return services.db
    .write(async (trx) => {
      const found = await requireFlag(trx, subject, feature_flag_name);
      await acquireLock(trx, `feature flag ${found.id}`);
      const before = await requireFlag(trx, subject, feature_flag_name);
      const current = await store.strategiesOf(trx, [before.id]);
      const planned = await validateFlag(trx, subject.project.id, change, current, strategies);
      const flag = await store.updateFlag(trx, before.id, change);
      await store.saveStrategies(trx, flag.id, planned);
      await services.announce(trx, 'feature-flag.changed', { action: 'updated', flag, before, by: user });
      return presentFlag(trx, flag);
    })
    .catch((error: unknown) => {
      throw asDuplicateNameError(error);
    });
}

/** Returns the deleted flag. */
export async function deleteFlag(
  services: Services,
  { user }: SignedInActor,
  subject: ProjectSubject,
  name: string,
): Promise<FeatureFlagEntity> {
  return services.db.write(async (trx) => {
    const flag = await requireFlag(trx, subject, name);
    const shown = await presentFlag(trx, flag);
    await store.deleteFlag(trx, flag.id);
    await services.announce(trx, 'feature-flag.changed', { action: 'deleted', flag, by: user });
    return shown;
  });
}
