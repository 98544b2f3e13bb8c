import type { HeaderList } from './headers.ts';
import type { JsonAnswer } from './json.ts';

/** An entity with headers of its own. */
export class WithHeaders<T> {
  readonly entity: T;
  readonly headers: HeaderList;

  constructor(headers: HeaderList, entity: T) {
    this.headers = headers;
    this.entity = entity;
  }
}

/** An answer that is at hand, if it is, and the way to keep one that was worked out. */
export interface CacheSlot {
  readonly answer: JsonAnswer | undefined;
  keep(answer: JsonAnswer): void;
}

/** An answer that may be at hand already, and how to work it out where it is not. */
export class Cacheable<T> {
  readonly slot: CacheSlot;
  readonly work: () => Promise<T>;

  constructor(slot: CacheSlot, work: () => Promise<T>) {
    this.slot = slot;
    this.work = work;
  }
}
