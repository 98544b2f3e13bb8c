import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { NotFound } from '../../platform/http/errors.ts';
import type { Target } from '../target.ts';
import {
  type ChangeOfTimes,
  estimateChange,
  resettingSpentTime,
  spentTimeChange,
  type TimeEvent,
  type Times,
} from './changes.ts';
import { presentTimeStats } from './present.ts';
import type { TimeStatsEntity } from './schema.ts';
import { readEstimate, readSpent } from './service.ts';

/** Access to the items with time tracking: issues and merge requests. */
export interface TimeKeeper<Row extends Times> {
  lock(trx: Writer, id: number): Promise<Row | undefined>;
  targetOf(row: Row): Target;
  update(trx: Writer, id: number, columns: Partial<Times> & { readonly updated_at: number }): Promise<Row>;
  /** Adds the system note and announces the change. */
  recordChange(
    services: Services,
    trx: Writer,
    userId: number,
    before: Row,
    after: Row,
    event: TimeEvent,
  ): Promise<void>;
}

/** Returns the function that changes the times of an item within the caller's transaction. */
export function timesChanger<Row extends Times>({ lock, targetOf, update, recordChange }: TimeKeeper<Row>) {
  return async (services: Services, trx: Writer, id: number, userId: number, change: ChangeOfTimes): Promise<Row> => {
    const before = await lock(trx, id);
    if (!before) throw NotFound.record();
    const { columns, event } = await change(trx, before, targetOf(before), userId);
    const after = await update(trx, id, { ...columns, updated_at: Date.now() });
    if (event) await recordChange(services, trx, userId, before, after, event);
    return after;
  };
}

type Place = readonly [services: Services, caller: SignedInActor, subject: ProjectSubject, iid: number];

/**
 * Returns the time tracking operations of the API. `findId` returns the ID of the item and throws if the caller lacks
 * permission.
 */
export function timeOperations(
  findId: (...place: Place) => Promise<number>,
  changeTimes: (...given: Parameters<ReturnType<typeof timesChanger>>) => Promise<Times>,
) {
  const changed = async (place: Place, change: ChangeOfTimes): Promise<TimeStatsEntity> => {
    const [services, { user }] = place;
    const id = await findId(...place);
    const times = await services.db.write((trx) => changeTimes(services, trx, id, user.id, change));
    return presentTimeStats(services, times);
  };
  return {
    setEstimate: (place: Place, duration: string) =>
      changed(place, (...given) => estimateChange(readEstimate(duration))(...given)),
    addSpentTime: (place: Place, { duration, summary }: { readonly duration: string; readonly summary?: string }) =>
      changed(
        place,
        spentTimeChange((total) => readSpent(duration, total, summary), { summary }),
      ),
    resetSpentTime: (place: Place) => changed(place, resettingSpentTime),
  };
}
