import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Repository } from '../../platform/git/repository.ts';
import type { ReceiveHooks } from '../../platform/git/transport/receive.ts';
import { GitRefusal } from './refusal.ts';
import {
  type AccessRequest,
  checkMaintenance,
  checkProtocol,
  checkScopes,
  isWithinCredentialNamespace,
} from './service.ts';

/** A repository other than a project's own, e.g. of a snippet or wiki, with the caller's access. */
export interface NonProjectRepository {
  readonly repo: Repository;
  /** The project or group it belongs to, if any. */
  readonly subject: Pick<ProjectSubject, 'namespace'> | null;
  readonly mayPull: boolean;
  readonly mayPush: boolean;
  /** Hooks for pushes to it. */
  readonly hooks: ReceiveHooks;
}

/** Finds a repository by its path; undefined if there is none. */
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

/** Granted access to such a repository. */
export interface NonProjectAccess {
  readonly actor: Actor;
  readonly repo: Repository;
  readonly hooks: ReceiveHooks;
  readonly remarks: readonly string[];
}

/**
 * Authorizes a pull or push to such a repository. Throws `GitRefusal`; undefined if the path is none of them. Deploy
 * and LFS credentials, which are limited to projects, are not accepted.
 */
export async function openNonProject(
  services: Services,
  request: AccessRequest,
): Promise<NonProjectAccess | undefined> {
  const { actor, path, operation, protocol } = request;
  for (const find of services.contributions('transport.repositories')) {
    const found = await find(services, actor, path);
    if (!found) continue;
    const reached = found.subject
      ? isWithinCredentialNamespace(request, found.subject.namespace)
      : request.within === undefined;
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
