import type { HeaderList } from './headers.ts';
import type { Asked } from './kept-answers.ts';

/** An entity with headers of its own. */
export class Beside<T> {
  readonly entity: T;
  readonly headers: HeaderList;

  constructor(headers: HeaderList, entity: T) {
    this.headers = headers;
    this.entity = entity;
  }
}

/** An answer that may be at hand already, and how to work it out where it is not. */
export class Settled<T> {
  readonly asked: Asked;
  readonly work: () => Promise<T>;

  constructor(asked: Asked, work: () => Promise<T>) {
    this.asked = asked;
    this.work = work;
  }
}
