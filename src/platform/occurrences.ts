import type { Writer } from './database/database.ts';

/**
 * What areas announce to one another, by name. The area that announces adds a line by declaration, beside its tables;
 * who subscribes stands in the `area.ts` of the subscriber.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Occurrences {}

/**
 * What areas add to one another's answers, by name: the type of one contribution. The area that asks adds a line by
 * declaration; who contributes stands in the `area.ts` of the contributor.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Contributions {}

/** Runs in the transaction of whoever announces: writes what must be atomic with it, enqueues a job for the rest. */
type Subscriber<Services, Occurrence> = (services: Services, trx: Writer, occurrence: Occurrence) => Promise<void>;

/** What an area does when something happens elsewhere. */
export type Subscriptions<Services> = {
  readonly [Name in keyof Occurrences]?: Subscriber<Services, Occurrences[Name]>;
};

/** Tells every subscriber of an occurrence, one after the other, in the transaction that brought it about. */
export type Announce = <Name extends keyof Occurrences>(
  trx: Writer,
  name: Name,
  occurrence: Occurrences[Name],
) => Promise<void>;

/** What the areas contribute under a name, in the order of the list of areas. */
export type Contributed = <Name extends keyof Contributions>(name: Name) => readonly Contributions[Name][];

/** An area, as far as others hear of it and from it. */
interface Participant<Services> {
  readonly on?: Subscriptions<Services>;
  readonly contributes?: Partial<Contributions>;
}

/** The announcer over a fixed list of areas; the services are those that subscribers are handed. */
export function createAnnounce<Services>(areas: readonly Participant<Services>[], services: () => Services): Announce {
  const known = new Map<string, unknown>();
  const subscribersOf = <Name extends keyof Occurrences>(name: Name) => {
    type Found = NonNullable<Subscriptions<Services>[Name]>[];
    let found = known.get(name) as Found | undefined;
    if (found === undefined) {
      found = areas.flatMap(({ on }) => on?.[name] ?? []);
      known.set(name, found);
    }
    return found;
  };
  return async (trx, name, occurrence) => {
    for (const hear of subscribersOf(name)) await hear(services(), trx, occurrence);
  };
}

/** The contributions of a fixed list of areas. */
export function createContributed(areas: readonly Participant<never>[]): Contributed {
  const known = new Map<string, unknown>();
  return (name) => {
    type Found = Contributions[typeof name][];
    let found = known.get(name) as Found | undefined;
    if (found === undefined) {
      found = areas.flatMap(({ contributes }) => contributes?.[name] ?? []);
      known.set(name, found);
    }
    return found;
  };
}
