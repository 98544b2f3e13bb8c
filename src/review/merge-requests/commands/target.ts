import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { CommandTarget } from '../../../planning/quick-actions/public.ts';
import type { RequestState } from '../service.ts';
import { carryOut, requestCommands } from './carry-out.ts';
import { contextOf, type WriterMay } from './context.ts';

/** A merge request that commands are given to. */
export function commandableRequest(
  services: Services,
  writer: SignedInActor,
  subject: ProjectSubject,
  state: RequestState,
  may: WriterMay,
): CommandTarget {
  return {
    carriesOut: requestCommands,
    context: (wanted) => contextOf(services, writer, subject, state, may, wanted),
    carryOut: (trx, changes) => carryOut(services, trx, writer, subject, state, changes),
  };
}
