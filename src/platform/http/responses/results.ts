import type { HeaderList } from './headers.ts';
import type { JsonAnswer } from './json.ts';

/** A handler's result with headers of its own. */
export class WithHeaders<T> {
  readonly entity: T;
  readonly headers: HeaderList;

  constructor(headers: HeaderList, entity: T) {
    this.headers = headers;
    this.entity = entity;
  }
}

/** A cache entry: the response, if it is cached, and how to store one. */
export interface CacheSlot {
  readonly answer: JsonAnswer | undefined;
  keep(answer: JsonAnswer): void;
}

/** A handler's result that may be cached, and how to compute it if it is not. */
export class Cacheable<T> {
  readonly slot: CacheSlot;
  readonly work: () => Promise<T>;

  constructor(slot: CacheSlot, work: () => Promise<T>) {
    this.slot = slot;
    this.work = work;
  }
}
