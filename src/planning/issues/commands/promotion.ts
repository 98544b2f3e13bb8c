import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { IssueState } from '../service.ts';

/** How an issue becomes something larger: what `/promote` does, said by the area that has epics. */
export interface Promotion {
  may(services: Services, caller: SignedInActor, subject: ProjectSubject): Promise<boolean>;
  promote(
    services: Services,
    trx: Writer,
    caller: SignedInActor,
    subject: ProjectSubject,
    state: IssueState,
  ): Promise<unknown>;
}

declare module '../../../platform/occurrences.ts' {
  interface Contributions {
    'issues.promotion': Promotion;
  }
}
