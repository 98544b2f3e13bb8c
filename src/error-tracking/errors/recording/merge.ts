import type { StoredSummary } from '../../events/public.ts';
import { day, hour, periodStart } from '../frequency.ts';

/** An event to record, with its batch. */
export interface IncomingEvent extends StoredSummary {
  readonly batchId: number;
}

/** The changes to one error made by the events of a batch. */
export interface ErrorDelta {
  readonly projectId: number;
  readonly fingerprint: string;
  readonly events: readonly IncomingEvent[];
  /** The first and the last event by time of occurrence; the last one determines the title. */
  readonly earliest: IncomingEvent;
  readonly latest: IncomingEvent;
  readonly identities: ReadonlyMap<string, number>;
  readonly hours: ReadonlyMap<number, number>;
  readonly days: ReadonlyMap<number, number>;
  readonly values: readonly ValueDelta[];
}

export interface ValueDelta {
  readonly name: 'release' | 'environment';
  readonly value: string;
  readonly count: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** The error that collects further events once a project has too many new errors per hour. */
export const overflow = { fingerprint: '0', title: 'Too many new errors', culprit: '<various>' } as const;

/** Groups the events of a project by error. */
export function mergeByError(projectId: number, events: readonly IncomingEvent[]): ErrorDelta[] {
  const groups = Map.groupBy(events, ({ fingerprint }) => fingerprint);
  return [...groups].map(([fingerprint, own]) => mergeOne(projectId, fingerprint, own));
}

/** Assigns the events to the overflow error. */
export function mergeOverflow(projectId: number, deltas: readonly ErrorDelta[]): ErrorDelta[] {
  const events = deltas.flatMap((delta) => delta.events.map((event) => ({ ...event, ...overflow })));
  return mergeByError(projectId, events);
}

function mergeOne(projectId: number, fingerprint: string, events: readonly IncomingEvent[]): ErrorDelta {
  const [first] = events;
  if (!first) throw new Error('an error without events');
  let earliest = first;
  let latest = first;
  const identities = new Map<string, number>();
  const hours = new Map<number, number>();
  const days = new Map<number, number>();
  for (const event of events) {
    const at = event.occurred_at;
    if (at < earliest.occurred_at) earliest = event;
    if (at >= latest.occurred_at) latest = event;
    if (event.identity !== null) identities.set(event.identity, Math.max(at, identities.get(event.identity) ?? 0));
    add(hours, periodStart(hour, at));
    add(days, periodStart(day, at));
  }
  const values = [...valuesOf('environment', events), ...valuesOf('release', events)];
  return { projectId, fingerprint, events, earliest, latest, identities, hours, days, values };
}

function add(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function valuesOf(name: ValueDelta['name'], events: readonly IncomingEvent[]): ValueDelta[] {
  // As the database stores them: it rejects a statement that inserts the same value twice.
  const groups = Map.groupBy(events, (event) => event[name]?.toWellFormed() ?? null);
  return [...groups].flatMap(([value, own]) => {
    if (value === null) return [];
    const times = own.map((event) => event.occurred_at);
    return [{ name, value, count: own.length, firstSeen: Math.min(...times), lastSeen: Math.max(...times) }];
  });
}

/** Filters out duplicate and already recorded events. */
export function withoutRepeats(events: readonly IncomingEvent[], known: ReadonlySet<string>): IncomingEvent[] {
  const seen = new Set(known);
  return events.filter(({ event_id }) => {
    if (seen.has(event_id)) return false;
    seen.add(event_id);
    return true;
  });
}
