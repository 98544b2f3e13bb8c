import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';

/** The branches of a project that somebody may push to though they are no member of it. */
export type SharedBranches = (services: Services, actor: Actor, subject: ProjectSubject) => Promise<readonly string[]>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'branches.shared': SharedBranches;
  }
}

/** Asked only of users who may read the code and have no right to push; keys and jobs stay where they are let in. */
export async function sharedBranches(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
): Promise<ReadonlySet<string>> {
  if (actor.user === null || actor.deploy || actor.carrier === 'job') return new Set();
  if (subject.archived || subject.can('push_code') || !subject.can('read_code')) return new Set();
  const found = await Promise.all(
    services.contributions('branches.shared').map((find) => find(services, actor, subject)),
  );
  return new Set(found.flat());
}
