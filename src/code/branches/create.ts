import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { isBranchName } from '../../platform/git/refs/refname.ts';
import { BadRequest, Conflict, type HttpError, NotFound } from '../../platform/http/errors.ts';
import { commitFiles } from '../commits/public.ts';
import { type MoveResult, moveRefsPlainly } from '../pushes/service.ts';
import { defaultBranch, readNamedRef, resolveCommit } from '../repository/public.ts';
import { presentBranch } from './read.ts';
import type { BranchEntity } from './schema.ts';

/** Makes a branch that points to what a branch, a tag or a commit stands for. */
export async function createBranch(
  services: Services,
  actor: SignedInActor,
  place: ProjectSubject,
  wanted: { readonly branch: string; readonly ref: string },
): Promise<BranchEntity> {
  const { branch, ref } = wanted;
  if (!isBranchName(branch)) throw BadRequest.plain('Branch name is invalid');
  const subject = place.project.empty_repo === 1 ? await withFirstCommit(services, actor, place) : place;
  const name = `refs/heads/${branch}`;
  if ((await readNamedRef(services, subject, name)) !== null) throw BadRequest.plain('Branch already exists');
  const start = await resolveCommit(services, subject, ref);
  if (!start) throw failed(branch, `invalid reference name '${ref}'`);
  const changes = [{ ref: name, old: null, new: start.oid }];
  const result = await moveRefsPlainly(services, { actor, subject, changes, protocol: 'web' });
  if (result.status !== 'ok') throw problemOf(result, branch);
  return presentBranch(services, actor, subject, { name: branch, oid: start.oid });
}

function failed(branch: string, reason: string): HttpError {
  return BadRequest.plain(`Failed to create branch '${branch}': ${reason}`);
}

function problemOf(result: Exclude<MoveResult, { status: 'ok' }>, branch: string): HttpError {
  if (result.status === 'stale') return BadRequest.plain('Branch already exists');
  if (result.status === 'locked') return new Conflict('409 Conflict: Resource lock');
  if (result.status === 'invalid') return BadRequest.plain('Branch name is invalid');
  return failed(branch, 'Branch name conflicts with existing branch hierarchy.');
}

/** Fills an empty repository with a commit on its default branch, and sees the project as it is then. */
async function withFirstCommit(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
): Promise<ProjectSubject> {
  const branch = defaultBranch(subject);
  const content = { text: '', encoding: 'text', leniency: 'strict' } as const;
  const actions = [{ action: 'create', path: 'README.md', content }] as const;
  try {
    await commitFiles(services, { caller: actor, subject }, { branch, message: 'Add README.md', actions });
  } catch (error) {
    // Somebody else may have filled it meanwhile: then theirs is what there is to start from.
    if ((await readNamedRef(services, subject, `refs/heads/${branch}`)) === null) throw error;
  }
  const found = await lookUpProject(services.db.read, String(subject.project.id));
  if (!found) throw new NotFound('Project');
  return projectSubject(services.db.read, actor, found.project);
}
