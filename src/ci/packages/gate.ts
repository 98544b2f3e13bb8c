import { type Actor, anonymous } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import type { Services } from '../../access/services.ts';
import {
  type GroupSubject,
  groupSubject,
  lookUpNamespace,
  lookUpProject,
  type ProjectSubject,
  projectMovedError,
  projectSubject,
} from '../../access/subjects.ts';
import { bindDeployCredential, deployTokenCoversGroup } from '../../code/deploy/public.ts';
import { findProjects, subjectsOf } from '../../namespaces/projects/public.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';

/** Deploy token scopes that allow reading; the publishing scope includes reading. */
export const readingScopes = ['read_package_registry', 'write_package_registry'] as const;
/** Deploy token scopes that allow publishing. */
export const publishingScopes = ['write_package_registry'] as const;

/** Gate for the packages of a project, extended by deploy tokens. */
export function packageGate(
  { db, externalUrl }: Services,
  gates: Gates,
  ability: 'read_package' | 'create_package',
): Gate<Actor, ProjectSubject> {
  const memberGate: Gate<Actor, ProjectSubject> = gates.project(ability);
  return {
    ...memberGate,
    before(actor) {
      if (!actor.deploy) memberGate.before?.(actor);
    },
    async enter(actor, params, request) {
      if (!actor.deploy) return memberGate.enter(actor, params, request);
      const found = await lookUpProject(db.read, String(params.id));
      const bound = found && (await bindDeployCredential(db.read, actor, found.project));
      // In other projects a deploy token counts as anonymous, as for Git.
      if (!bound) return memberGate.enter({ ...anonymous, ip: actor.ip }, params, request);
      // Deploy tokens have no role, so the rest of the response shows what is public.
      const subject = await projectSubject(db.read, bound, found.project);
      if (subject.keptOut) throw new NotFound('Project');
      if (found.former) throw projectMovedError(request.method, found.project.id, { url: request.url, externalUrl });
      const closed = ability === 'create_package' && subject.archived;
      if (closed || subject.featureLevel('package_registry') === 0) throw new Forbidden();
      return subject;
    },
  };
}

/** A group whose packages are requested without naming a project. */
export interface PackageGroup {
  /** Includes the projects of descendant namespaces. */
  readonly namespaceId: number;
}

type GroupPackageAbility = 'read_group' | 'read_package' | 'create_package' | 'destroy_package';

/**
 * Gate for the packages of a group, extended by deploy tokens of the group. With `read_group`, access to packages is
 * checked per project.
 */
export function groupPackageGate(
  { db }: Services,
  gates: Gates,
  ability: GroupPackageAbility = 'read_group',
): Gate<Actor, PackageGroup> {
  const memberGate: Gate<Actor, GroupSubject> = gates.group(ability);
  return {
    asks: memberGate.asks,
    before(actor) {
      if (!actor.deploy) memberGate.before?.(actor);
    },
    async enter(actor, params, request) {
      if (!actor.deploy) return openGroup(await memberGate.enter(actor, params, request), ability);
      const found = await lookUpNamespace(db.read, String(params.id));
      if (found?.kind === 'group' && (await deployTokenCoversGroup(db.read, actor, found.id))) {
        const { archived } = await groupSubject(db.read, { ...anonymous, ip: actor.ip }, found);
        if (archived && ability === 'create_package') throw new Forbidden();
        return { namespaceId: found.id };
      }
      return openGroup(await memberGate.enter({ ...anonymous, ip: actor.ip }, params, request), ability);
    },
  };
}

/** Members of what is inside a private group can see the group, but not everything in it. */
function openGroup({ group, around }: GroupSubject, ability: GroupPackageAbility): PackageGroup {
  if (around && ability !== 'read_group') throw new Forbidden();
  return { namespaceId: group.id };
}

/** Filters projects whose packages the caller can read. */
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
    const bound = actor.deploy && (await bindDeployCredential(db.read, actor, subject.project));
    const open = bound ? subject.featureLevel('package_registry') > 0 : subject.can('read_package');
    if (open && !subject.keptOut) readable.push(subject);
  }
  return readable;
}
