import Type from 'typebox';
import type { Services } from '../../../../access/services.ts';
import type { Writer } from '../../../../platform/database/database.ts';
import { acquireLock, lockRow } from '../../../../platform/database/locks.ts';
import { Invalid, NotFound } from '../../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../../platform/http/pages/pagination.ts';
import { storedJson } from '../../../../platform/stored-json.ts';
import { removeFilesSoon } from '../../removal.ts';
import type { DebianDistributionRow } from '../../tables.ts';
import { releaseSoon } from '../indexes/refresh.ts';
import { deleteIndexes } from '../indexes/store.ts';
import { createSigningKey } from '../key.ts';
import { applyFields, type DistributionValues, defaultValues, problemsOf } from './fields.ts';
import type { DistributionEntity, DistributionFields, DistributionFilter } from './schema.ts';
import * as store from './store.ts';

const readWords = storedJson(Type.Array(Type.String()));

/** The values of a stored distribution. */
export function valuesOf(row: DebianDistributionRow): DistributionValues {
  const { suite, origin, label, version, description, valid_time_duration_seconds: seconds } = row;
  return {
    ...{ suite, origin, label, version, description },
    valid_time_duration_seconds: seconds === null ? null : Number(seconds),
    components: readWords(row.components),
    architectures: readWords(row.architectures),
  };
}

function present(row: DebianDistributionRow): DistributionEntity {
  const { components, architectures, ...values } = valuesOf(row);
  const { id, codename } = row;
  return { id, codename, ...values, components: [...components], architectures: [...architectures] };
}

const columns = ({ components, architectures, ...values }: DistributionValues) => ({
  ...values,
  components: JSON.stringify(components),
  architectures: JSON.stringify(architectures),
});

async function requireDistribution({ db }: Services, place: store.Place, codename: string) {
  const row = await store.distributionWithCodename(db.read, place, codename);
  if (!row) throw new NotFound('Distribution');
  return row;
}

export async function listDistributions(
  { db }: Services,
  place: store.Place,
  filter: DistributionFilter,
  page: PageRequest,
): Promise<Page<DistributionEntity>> {
  const { rows, total } = await store.listDistributions(db.read, place, filter, page);
  return new Page(rows.map(present), total);
}

export async function getDistribution(services: Services, place: store.Place, codename: string) {
  return present(await requireDistribution(services, place, codename));
}

/** The armored public key that verifies the releases. */
export async function getKey(services: Services, place: store.Place, codename: string): Promise<string> {
  return (await requireDistribution(services, place, codename)).public_key;
}

/** Locks the names of a place: codenames and suites share the same URLs, so each is unique among both. */
async function requireFreeNames(
  trx: Writer,
  place: store.Place,
  { id, codename, suite }: { readonly id?: number; readonly codename: string; readonly suite: string | null },
): Promise<void> {
  await acquireLock(trx, `debian-distributions:${JSON.stringify(place)}`);
  const problems: Record<string, string[]> = {};
  const isOther = (found: DebianDistributionRow | undefined) => found !== undefined && found.id !== id;
  const check = async (attribute: string, name: string, asCodename: string, asSuite: string) => {
    if (isOther(await store.distributionWithCodename(trx, place, name))) problems[attribute] = [asCodename];
    else if (isOther(await store.distributionWithSuite(trx, place, name))) problems[attribute] = [asSuite];
  };
  const taken = 'has already been taken';
  await check('codename', codename, taken, `${taken} as Suite`);
  if (suite !== null) await check('suite', suite, `${taken} as Codename`, taken);
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

function requireValid(codename: string, values: DistributionValues): void {
  const problems = problemsOf(codename, values);
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

export async function createDistribution(
  services: Services,
  place: store.Place,
  codename: string,
  fields: DistributionFields,
): Promise<DistributionEntity> {
  const values = applyFields(defaultValues, fields);
  requireValid(codename, values);
  const owner = 'project_id' in place ? `project ${place.project_id}` : `group ${place.group_id}`;
  const key = await createSigningKey(services.encryption, `Debian distribution ${codename} of ${owner}`);
  return services.db.write(async (trx) => {
    await requireFreeNames(trx, place, { codename, suite: values.suite });
    const at = { created_at: Date.now(), updated_at: Date.now() };
    const row = { project_id: null, group_id: null, ...place, codename, ...columns(values), ...key, ...at };
    const made = await store.insertDistribution(trx, row);
    await releaseSoon(services, trx, [made.id]);
    return present(made);
  });
}

export async function updateDistribution(
  services: Services,
  place: store.Place,
  codename: string,
  fields: DistributionFields,
): Promise<DistributionEntity> {
  const { id } = await requireDistribution(services, place, codename);
  return services.db.write(async (trx) => {
    await acquireLock(trx, `debian-distributions:${JSON.stringify(place)}`);
    const row = await lockRow(trx, 'debian_distributions', id);
    if (!row) throw new NotFound('Distribution');
    const values = applyFields(valuesOf(row), fields);
    requireValid(codename, values);
    await requireFreeNames(trx, place, { id, codename, suite: values.suite });
    await releaseSoon(services, trx, [id]);
    return present(await store.updateDistribution(trx, id, { ...columns(values), updated_at: Date.now() }));
  });
}

export async function deleteDistribution(services: Services, place: store.Place, codename: string): Promise<void> {
  const { id } = await requireDistribution(services, place, codename);
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'debian_distributions', id, 'remove'))) throw new NotFound('Distribution');
    // The groups that list its packages; its own release finds it gone.
    await releaseSoon(services, trx, [id]);
    await deleteIndexes(trx, { distributionId: id });
    await store.deleteDistribution(trx, id);
    await removeFilesSoon(services, trx);
  });
}
