import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { CommandTarget } from '../../../planning/quick-actions/public.ts';
import type { RequestState } from '../service.ts';
import { contextOf, type WriterPermissions } from './context.ts';
import { executeCommands, requestCommands } from './execute.ts';

/** A merge request as the target of quick actions. */
export function commandableRequest(
  services: Services,
  writer: SignedInActor,
  subject: ProjectSubject,
  state: RequestState,
  may: WriterPermissions,
): CommandTarget {
  return {
    supported: requestCommands,
    context: (wanted) => contextOf(services, writer, subject, state, may, wanted),
    executeCommands: (trx, changes) => executeCommands(services, trx, writer, subject, state, changes),
  };
}
