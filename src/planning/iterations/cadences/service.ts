import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { nextInternalId } from '../../../namespaces/internal-ids/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { instant } from '../../../platform/http/schema.ts';
import { clearIterations } from '../../issues/public.ts';
import { missingPeriods } from '../periods.ts';
import { today } from '../present.ts';
import { countIterations, insertIterations } from '../store.ts';
import type { CadenceRow } from '../tables.ts';
import type { IterationCadenceEntity, NewCadenceParams } from './schema.ts';
import * as store from './store.ts';

function present(row: CadenceRow): IterationCadenceEntity {
  return {
    id: row.id,
    group_id: row.namespace_id,
    title: row.title,
    description: row.description,
    start_date: row.start_date,
    duration_in_weeks: row.duration_in_weeks,
    iterations_in_advance: row.iterations_in_advance,
    automatic: row.automatic === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}

export async function listCadences(
  { db }: Services,
  { group }: GroupSubject,
  page: PageRequest,
): Promise<Page<IterationCadenceEntity>> {
  const order = { by: 'id', direction: 'asc' } as const;
  const { rows, total } = await store.cadenceList.page(db.read, { group: group.id }, {}, order, page);
  return new Page(rows.map(present), total);
}

function check({ title, duration_in_weeks, iterations_in_advance }: NewCadenceParams): void {
  const problems: Record<string, string[]> = {};
  const long = lengthProblem(title, 255);
  if (title.trim() === '') problems.title = ["can't be blank"];
  else if (long !== undefined) problems.title = [long];
  if (duration_in_weeks < 1 || duration_in_weeks > 4) problems.duration_in_weeks = ['must be between 1 and 4'];
  if (iterations_in_advance < 1 || iterations_in_advance > 10) {
    problems.iterations_in_advance = ['must be between 1 and 10'];
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

/** Creates the missing iterations of a cadence. */
async function extend(trx: Writer, cadence: CadenceRow): Promise<void> {
  const periods = missingPeriods(cadence, await countIterations(trx, cadence.id), today());
  const now = Date.now();
  const { id: cadence_id, namespace_id } = cadence;
  const rows = [];
  for (const period of periods) {
    const iid = await nextInternalId(trx, { namespace_id }, 'iterations');
    const texts = { title: null, description: null, created_at: now, updated_at: now };
    rows.push({ ...period, ...texts, iid, cadence_id, namespace_id });
  }
  await insertIterations(trx, rows);
}

export async function createCadence(
  { db }: Services,
  { group }: GroupSubject,
  params: NewCadenceParams,
): Promise<IterationCadenceEntity> {
  check(params);
  const now = Date.now();
  const { description = null, automatic, ...given } = params;
  const { title, start_date, duration_in_weeks, iterations_in_advance } = given;
  const row = { title: title.trim(), start_date, duration_in_weeks, iterations_in_advance, description };
  const cadence = await db
    .write(async (trx) => {
      const times = { created_at: now, updated_at: now };
      const inserted = await store.insertCadence(trx, {
        ...row,
        ...times,
        namespace_id: group.id,
        automatic: automatic ? 1 : 0,
      });
      await extend(trx, inserted);
      return inserted;
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid({ title: ['has already been taken'] }) : error;
    });
  return present(cadence);
}

/** Deletes a cadence with its iterations and removes them from issues. */
export async function deleteCadence({ db }: Services, { group }: GroupSubject, id: number): Promise<void> {
  const cadence = await store.findCadence(db.read, group.id, id);
  if (!cadence) throw NotFound.record();
  await db.write(async (trx) => {
    await clearIterations(trx, cadence.id);
    await store.deleteCadence(trx, cadence.id);
  });
}

const hour = 3_600_000;
const atOnce = 100;

/** Periodically creates the upcoming iterations of automatic cadences. */
export function cadenceJobs({ db, queue }: Services): void {
  queue.recurring('iterations.extend', { everyMs: hour }, async ({ signal }) => {
    for (let last = 0; ; ) {
      const ids = await store.automaticAfter(db.read, last, atOnce);
      for (const id of ids) {
        signal.throwIfAborted();
        await db.write(async (trx) => {
          const cadence = await lockRow(trx, 'iteration_cadences', id);
          if (cadence) await extend(trx, cadence);
        });
        last = id;
      }
      if (ids.length < atOnce) return;
    }
  });
}
