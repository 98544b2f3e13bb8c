import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Target } from '../target.ts';
import { type ChangeOfTimes, estimating, forgetting, spending, type TimeEvent, type Times } from './changes.ts';
import { presentTimeStats } from './present.ts';
import type { TimeStatsEntity } from './schema.ts';
import { readEstimate, readSpent } from './service.ts';

/** What has times: issues, and merge requests. */
export interface TimeKeeper<Row extends Times> {
  lock(trx: Writer, id: number): Promise<Row | undefined>;
  targetOf(row: Row): Target;
  update(trx: Writer, id: number, columns: Partial<Times> & { readonly updated_at: number }): Promise<Row>;
  /** Notes what happened, and tells others. */
  tell(services: Services, trx: Writer, userId: number, before: Row, after: Row, event: TimeEvent): Promise<void>;
}

/** How the times of something change, in a transaction of the caller's. */
export function timesChanger<Row extends Times>({ lock, targetOf, update, tell }: TimeKeeper<Row>) {
  return async (services: Services, trx: Writer, id: number, userId: number, change: ChangeOfTimes): Promise<Row> => {
    const before = await lock(trx, id);
    if (!before) throw NotFound.record();
    const { columns, event } = await change(trx, before, targetOf(before), userId);
    const after = await update(trx, id, { ...columns, updated_at: Date.now() });
    if (event) await tell(services, trx, userId, before, after, event);
    return after;
  };
}

type Place = readonly [services: Services, caller: SignedInActor, subject: ProjectSubject, iid: number];

/** The requests that change times. `wanted` finds what is meant, and refuses those who may not. */
export function timeOperations(
  wanted: (...place: Place) => Promise<number>,
  changeTimes: (...given: Parameters<ReturnType<typeof timesChanger>>) => Promise<Times>,
) {
  const changed = async (place: Place, change: ChangeOfTimes): Promise<TimeStatsEntity> => {
    const [services, { user }] = place;
    const id = await wanted(...place);
    const times = await services.db.write((trx) => changeTimes(services, trx, id, user.id, change));
    return presentTimeStats(services, times);
  };
  return {
    setEstimate: (place: Place, duration: string) =>
      changed(place, (...given) => estimating(readEstimate(duration))(...given)),
    addSpentTime: (place: Place, { duration, summary }: { readonly duration: string; readonly summary?: string }) =>
      changed(
        place,
        spending((total) => readSpent(duration, total, summary), { summary }),
      ),
    resetSpentTime: (place: Place) => changed(place, forgetting),
  };
}
