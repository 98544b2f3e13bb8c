import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Repository } from '../../platform/git/repository.ts';
import type { ReceiveHooks } from '../../platform/git/transport/receive.ts';
import { GitRefusal } from './refusal.ts';
import { type AccessRequest, checkMaintenance, checkProtocol, checkScopes, reaches } from './service.ts';

/** A repository that is no project's own, such as a snippet's, as somebody finds it. */
export interface NonProjectRepository {
  readonly repo: Repository;
  /** Where the project or group is that it belongs to, if any. */
  readonly subject: Pick<ProjectSubject, 'namespace'> | null;
  readonly mayPull: boolean;
  readonly mayPush: boolean;
  /** What is said about a push. */
  readonly hooks: ReceiveHooks;
}

/** Finds one at an address; undefined where there is none. */
export type RepositoryFinder = (
  services: Services,
  actor: Actor,
  path: string,
) => Promise<NonProjectRepository | undefined>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'transport.repositories': RepositoryFinder;
  }
}

/** An open door to one of them. */
export interface NonProjectAccess {
  readonly actor: Actor;
  readonly repo: Repository;
  readonly hooks: ReceiveHooks;
  readonly remarks: readonly string[];
}

/**
 * Decides whether somebody may pull from or push to such a repository; throws `GitRefusal`. Undefined where the address
 * is of none of them. A credential that was given for some projects opens none.
 */
export async function openNonProject(
  services: Services,
  request: AccessRequest,
): Promise<NonProjectAccess | undefined> {
  const { actor, path, operation, protocol } = request;
  for (const find of services.contributions('transport.repositories')) {
    const found = await find(services, actor, path);
    if (!found) continue;
    const reached = found.subject ? reaches(request, found.subject.namespace) : request.within === undefined;
    if (!found.mayPull || actor.deploy || actor.lfs || !reached) {
      throw actor.carrier === 'none' ? GitRefusal.denied() : GitRefusal.notFound();
    }
    checkScopes(actor, operation);
    await checkMaintenance(services, operation);
    await checkProtocol(services, found.subject, operation, protocol);
    if (operation === 'push' && !found.mayPush) {
      throw actor.carrier === 'none'
        ? GitRefusal.denied()
        : GitRefusal.forbidden('You are not allowed to update this.');
    }
    return { actor, repo: found.repo, hooks: found.hooks, remarks: [] };
  }
  return undefined;
}
