import type { Actor, SignedInActor } from '../access/actor.ts';
import type { Gate } from '../platform/http/endpoint.ts';
import type { ParamMap, ParamsOf } from '../platform/http/params.ts';

/** A resource type that shares operations with others: its gate, path parameters and lookup. */
export interface OperationsTarget<M extends ParamMap, Subject, Found> {
  /** Noun phrase for summaries: 'an issue'. */
  readonly what: string;
  readonly gate: Gate<Actor, Subject, SignedInActor>;
  readonly params: M;
  readonly found: (caller: SignedInActor, subject: Subject, params: ParamsOf<M>) => Promise<Found>;
}
