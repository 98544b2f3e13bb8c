import { type Actor, anonymous } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import type { Services } from '../../access/services.ts';
import { lookUpNamespace, lookUpProject, moved, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { bindDeploy, deployReachesGroup } from '../../code/deploy/public.ts';
import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';

/** Which deploy tokens read packages; those that publish read as well. */
export const readingScopes = ['read_package_registry', 'write_package_registry'] as const;
/** Which deploy tokens publish them. */
export const publishingScopes = ['write_package_registry'] as const;

/** A project and an ability with its packages: the project's own gate, and the way in for deploy tokens beside it. */
export function packageGate(
  { db, externalUrl }: Services,
  gates: Gates,
  ability: 'read_package' | 'create_package',
): Gate<Actor, ProjectSubject> {
  const people: Gate<Actor, ProjectSubject> = gates.project(ability);
  return {
    ...people,
    before(actor) {
      if (!actor.deploy) people.before?.(actor);
    },
    async enter(actor, params, request) {
      if (!actor.deploy) return people.enter(actor, params, request);
      const found = await lookUpProject(db.read, String(params.id));
      const bound = found && (await bindDeploy(db.read, actor, found.project));
      // Elsewhere a deploy token is as good as none, as it is for git.
      if (!bound) return people.enter({ ...anonymous, ip: actor.ip }, params, request);
      // It has no role: what else the answers show is what everybody may see.
      const subject = await projectSubject(db.read, bound, found.project);
      if (subject.keptOut) throw new NotFound('Project');
      if (found.former) throw moved(request.method, found.project.id, { url: request.url, externalUrl });
      const closed = ability === 'create_package' && subject.archived;
      if (closed || subject.featureLevel('package_registry') === 0) throw new Forbidden();
      return subject;
    },
  };
}

/** A group whose packages clients fetch without saying of which project. */
export interface Below {
  /** Of the projects in this namespace, and in those below it. */
  readonly namespaceId: number;
}

/** A group that the caller can see, or that a deploy token is of. What of it they read is decided project by project. */
export function groupPackageGate({ db }: Services, gates: Gates): Gate<Actor, Below> {
  const people = gates.group('read_group');
  return {
    asks: people.asks,
    async enter(actor, params, request) {
      if (!actor.deploy) return { namespaceId: (await people.enter(actor, params, request)).group.id };
      const found = await lookUpNamespace(db.read, String(params.id));
      if (found?.kind === 'group' && (await deployReachesGroup(db.read, actor, found.id))) {
        return { namespaceId: found.id };
      }
      const nobody = { ...anonymous, ip: actor.ip };
      return { namespaceId: (await people.enter(nobody, params, request)).group.id };
    },
  };
}

/** Those of some projects whose packages the caller reads. */
export async function readablePackagesOf(
  { db }: Services,
  actor: Actor,
  projectIds: readonly number[],
): Promise<ProjectSubject[]> {
  if (projectIds.length === 0) return [];
  const projects = await findProjects(db.read, projectIds);
  const nobody = actor.deploy ? { ...anonymous, ip: actor.ip } : actor;
  const subjects = await subjectsOf(db.read, nobody, projects);
  const readable: ProjectSubject[] = [];
  for (const subject of subjects) {
    const bound = actor.deploy && (await bindDeploy(db.read, actor, subject.project));
    const open = bound ? subject.featureLevel('package_registry') > 0 : subject.can('read_package');
    if (open && !subject.keptOut) readable.push(subject);
  }
  return readable;
}
