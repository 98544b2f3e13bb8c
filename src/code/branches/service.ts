import type { FastifyRequest } from 'fastify';
import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { datedSeconds } from '../../platform/git/objects/identity.ts';
import { isBranchName } from '../../platform/git/refs/refname.ts';
import { BadRequest, Conflict, type HttpError, NotFound } from '../../platform/http/errors.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { commitFiles } from '../commits/public.ts';
import { type MoveResult, moveRefsOrBadRequest } from '../pushes/public.ts';
import { defaultBranch, type NamedRef, readNamedRef, repositoryOf, resolveCommit } from '../repository/public.ts';
import { presentBranches } from './present.ts';
import type { BranchEntity } from './schema.ts';

/** Finds a branch. Throws 400 for an invalid branch name, 404 if it does not exist. */
export async function requireBranch(services: Services, subject: ProjectSubject, name: string): Promise<NamedRef> {
  if (!isBranchName(name)) throw BadRequest.plain('The branch refname is invalid');
  const oid = await readNamedRef(services, subject, `refs/heads/${name}`);
  if (oid === null) throw new NotFound('Branch');
  return { name, oid };
}

/** Presents a single branch. */
export async function presentBranch(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  ref: NamedRef,
): Promise<BranchEntity> {
  const [entity] = await presentBranches(services, caller, subject, [ref]);
  if (!entity) throw new NotFound('Branch');
  return entity;
}

/** Creates a branch at the commit a ref resolves to. An empty repository gets a first commit. */
export async function createBranch(
  services: Services,
  actor: SignedInActor,
  place: ProjectSubject,
  params: { readonly branch: string; readonly ref: string },
): Promise<BranchEntity> {
  const { branch, ref } = params;
  if (!isBranchName(branch)) throw BadRequest.plain('Branch name is invalid');
  const subject = place.project.empty_repo === 1 ? await withFirstCommit(services, actor, place) : place;
  const name = `refs/heads/${branch}`;
  if ((await readNamedRef(services, subject, name)) !== null) throw BadRequest.plain('Branch already exists');
  const start = await resolveCommit(services, subject, ref);
  if (!start) throw failed(branch, `invalid reference name '${ref}'`);
  const changes = [{ ref: name, old: null, new: start.oid }];
  const result = await moveRefsOrBadRequest(services, { actor, subject, changes, protocol: 'web' });
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

/** Creates the first commit of an empty repository and returns the reloaded project. */
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
    // A concurrent request may have created the first commit: then start from that one.
    if ((await readNamedRef(services, subject, `refs/heads/${branch}`)) === null) throw error;
  }
  const found = await lookUpProject(services.db.read, String(subject.project.id));
  if (!found) throw new NotFound('Project');
  return projectSubject(services.db.read, actor, found.project);
}

/** Deletes a branch unless it is the default branch or protected. */
export async function deleteBranch(
  services: Services,
  actor: Actor,
  subject: ProjectSubject,
  name: string,
  request: FastifyRequest,
): Promise<void> {
  const { oid } = await requireBranch(services, subject, name);
  const tip = await services.git.objects(repositoryOf(services, subject)).commit(oid);
  if (tip) checkUnmodified(request, datedSeconds(tip.author.seconds) * 1000);
  const changes = [{ ref: `refs/heads/${name}`, old: oid, new: null }];
  const result = await moveRefsOrBadRequest(services, { actor, subject, changes, protocol: 'web' });
  if (result.status !== 'ok') throw new Conflict('409 Conflict: Resource lock');
}
