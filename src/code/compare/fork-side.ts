import { join } from 'node:path';
import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import type { Repository } from '../../platform/git/repository.ts';
import { BadRequest, Forbidden } from '../../platform/http/errors.ts';
import { repositoryOf } from '../repository/public.ts';

/** The root project of the fork network. */
const rootOf = (project: Project) => project.fork_root_id ?? project.id;

/** Returns the project of `from`: this one, or another of the fork network whose code the caller can read. */
export async function resolveFromProject(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  from: number | undefined,
  named: string,
): Promise<ProjectSubject> {
  if (from === undefined || from === subject.project.id) return subject;
  const found = await lookUpProject(services.db.read, String(from));
  const other = found && (await projectSubject(services.db.read, caller, found.project));
  if (!other?.can('read_project') || rootOf(other.project) !== rootOf(subject.project)) {
    throw BadRequest.plain(`Target project id:${from} is not a fork of project id:${named}`);
  }
  if (!other.can('read_code')) throw new Forbidden("You don't have access to this fork's parent project");
  return other;
}

/** Combines the object stores of two projects without copying anything. */
export function combinedRepository(services: Services, subject: ProjectSubject, other: ProjectSubject): Repository {
  const repo = repositoryOf(services, subject);
  if (other.project.id === subject.project.id) return repo;
  const [own, others] = [repo, repositoryOf(services, other)].map(({ path }) => join(path, 'objects')) as [
    string,
    string,
  ];
  // The other project's objects come first: readers are cached by that folder, and this project may have many forks.
  return { path: repo.path, quarantine: { objectDirectory: others, alternates: own } };
}
