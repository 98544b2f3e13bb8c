import type { Writer } from './database/database.ts';

/**
 * Domain events by name, with their payloads. The area that announces an event declares it by declaration merging, next
 * to its tables; subscribers are listed in the `area.ts` of the subscribing area.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface DomainEvents {}

/**
 * Extension points by name: what higher areas add to the work or the responses of lower ones. The area that uses the
 * contributions declares their type; contributors are listed in their own `area.ts`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Contributions {}

/** Runs in the announcing transaction: makes changes that must be atomic with it and enqueues jobs for the rest. */
type Subscriber<Services, DomainEvent> = (services: Services, trx: Writer, event: DomainEvent) => Promise<void>;

/** An area's handlers for the events of other areas. */
export type Subscriptions<Services> = {
  readonly [Name in keyof DomainEvents]?: Subscriber<Services, DomainEvents[Name]>;
};

/** Runs every subscriber of an event in turn, in the transaction that announces it. */
export type Announce = <Name extends keyof DomainEvents>(
  trx: Writer,
  name: Name,
  event: DomainEvents[Name],
) => Promise<void>;

/** All contributions to an extension point, in the order of the areas. */
export type GetContributions = <Name extends keyof Contributions>(name: Name) => readonly Contributions[Name][];

/** The part of an area that concerns events and contributions. */
interface Participant<Services> {
  readonly on?: Subscriptions<Services>;
  readonly contributes?: Partial<Contributions>;
}

/** Dispatches events to a fixed list of areas; `services` is passed to their subscribers. */
export function createAnnounce<Services>(areas: readonly Participant<Services>[], services: () => Services): Announce {
  const known = new Map<string, unknown>();
  const subscribersOf = <Name extends keyof DomainEvents>(name: Name) => {
    type Found = NonNullable<Subscriptions<Services>[Name]>[];
    let found = known.get(name) as Found | undefined;
    if (found === undefined) {
      found = areas.flatMap(({ on }) => on?.[name] ?? []);
      known.set(name, found);
    }
    return found;
  };
  return async (trx, name, event) => {
    for (const handle of subscribersOf(name)) await handle(services(), trx, event);
  };
}

/** The contributions of a fixed list of areas. */
export function createContributions(areas: readonly Participant<never>[]): GetContributions {
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
