import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';

/** Returns branches a non-member may push to, e.g. the source branch of a merge request that allows collaboration. */
export type SharedBranches = (services: Services, actor: Actor, subject: ProjectSubject) => Promise<readonly string[]>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'branches.shared': SharedBranches;
  }
}

/** Only applies to users who can read the code but not push; deploy keys and jobs never get this access. */
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
