import type { Actor, SignedInActor } from '../access/actor.ts';
import type { Gate } from '../platform/http/endpoint.ts';
import type { ParamMap, ParamsOf } from '../platform/http/params.ts';

/** One of several resources that share operations: who may call them, which parameters name it, and how it is found. */
export interface OperationsTarget<M extends ParamMap, Subject, Found> {
  /** Within summaries: 'an issue'. */
  readonly what: string;
  readonly gate: Gate<Actor, Subject, SignedInActor>;
  readonly params: M;
  readonly found: (caller: SignedInActor, subject: Subject, params: ParamsOf<M>) => Promise<Found>;
}
