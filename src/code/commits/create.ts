import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { readCommitInput } from './actions.ts';
import type { Fields } from './body.ts';
import { type Committing, commitFiles } from './commit-files.ts';
import { requirePush } from './push-right.ts';
import { presentDetail } from './read.ts';
import type { CommitDetailEntity } from './schema.ts';

/** Creates a commit from the body of a request. */
export async function createCommitFrom(
  services: Services,
  committing: Committing,
  fields: Fields,
): Promise<CommitDetailEntity> {
  await requirePush(services, committing, typeof fields.branch === 'string' ? fields.branch : '');
  const input = readCommitInput(fields);
  const startSubject = await startSubjectOf(services, committing, input.startProject);
  const made = await commitFiles(services, committing, {
    ...input,
    startSubject,
    staleText: (action) => `The file has changed since you started editing it: ${action.previousPath ?? action.path}`,
  });
  return presentDetail(services, committing, made);
}

/** The other project that a commit starts from: one of the same network of forks, whose code the caller can read. */
async function startSubjectOf(
  services: Services,
  { caller, subject }: Committing,
  id: string | undefined,
): Promise<ProjectSubject | undefined> {
  if (id === undefined) return undefined;
  const start = await readableProject(services.db, caller, id);
  if (start.project.id === subject.project.id) return undefined;
  if (start.can('read_code') && sameNetwork(start, subject)) return start;
  const name = `${start.namespace.full_name} / ${start.project.name}`;
  throw new Forbidden(`Project is not included in the fork network for ${name}`);
}

function sameNetwork(a: ProjectSubject, b: ProjectSubject): boolean {
  return rootOf(a) === rootOf(b);
}

function rootOf({ project }: ProjectSubject): number {
  return project.fork_root_id ?? project.id;
}
