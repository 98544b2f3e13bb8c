import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { type CommitEntity, presentCommit } from '../../../code/commits/public.ts';
import { projectUrl } from '../../../code/repository/public.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { BadRequest, Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { mayUpdate } from '../access.ts';
import { requireRequest } from '../service.ts';
import { addContext, contextShas, removeContext } from './store.ts';

/** Maximum number of commits added per request. */
const maxAtOnce = 20;
/** Maximum number of context commits per merge request. */
const maxTotal = 1000;

const notValid = () => BadRequest.plain("One or more context commits' sha is not valid.");

/** Returns the commits by full ID; throws if any of them does not exist in the project. */
async function commitsNamed(
  services: Services,
  { project }: ProjectSubject,
  shas: readonly string[],
): Promise<readonly Commit[]> {
  if (!shas.every((sha) => /^[0-9a-f]{40}$/.test(sha))) throw notValid();
  const found = await services.git.objects(services.git.repository(project.id)).commits([...shas]);
  const commits = found.filter((commit) => commit !== null);
  if (commits.length < shas.length) throw notValid();
  return commits;
}

export async function listContext(services: Services, subject: ProjectSubject, iid: number): Promise<CommitEntity[]> {
  const { request } = await requireRequest(services, subject, iid);
  const shas = await contextShas(services.db.read, request.id);
  const objects = services.git.objects(services.git.repository(subject.project.id));
  const commits = (await objects.commits(shas)).filter((commit) => commit !== null);
  const url = projectUrl(services, subject);
  return commits
    .sort((one, two) => two.committer.seconds - one.committer.seconds)
    .map((commit) => presentCommit(commit, url));
}

export async function addContextCommits(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { merge_request_iid: iid, commits }: { readonly merge_request_iid: number; readonly commits: readonly string[] },
): Promise<CommitEntity[]> {
  const { request, assigneeIds } = await requireRequest(services, subject, iid);
  if (!mayUpdate(caller, subject, request, assigneeIds)) throw new Forbidden();
  const wanted = [...new Set(commits)];
  if (wanted.length > maxAtOnce) {
    throw BadRequest.plain(`Context commits array size should not be more than ${maxAtOnce}`);
  }
  const found = await commitsNamed(services, subject, wanted);
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'merge_requests', request.id))) throw NotFound.record();
    const present = await contextShas(trx, request.id);
    const again = wanted.filter((sha) => present.includes(sha));
    if (again.length > 0) throw BadRequest.plain(`Context commits: ${JSON.stringify(again)} are already created`);
    if (present.length + wanted.length > maxTotal) throw BadRequest.plain('Too many context commits');
    if (wanted.length > 0) await addContext(trx, request.id, wanted);
  });
  const url = projectUrl(services, subject);
  return found.map((commit) => presentCommit(commit, url));
}

export async function removeContextCommits(
  services: Services,
  subject: ProjectSubject,
  { merge_request_iid: iid, commits }: { readonly merge_request_iid: number; readonly commits: readonly string[] },
): Promise<void> {
  const { request } = await requireRequest(services, subject, iid);
  if (!subject.can('destroy_merge_request')) throw new Forbidden();
  await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'merge_requests', request.id))) throw NotFound.record();
    const present = await contextShas(trx, request.id);
    if (commits.length === 0 || !commits.every((sha) => present.includes(sha))) throw notValid();
    await removeContext(trx, request.id, commits);
  });
}
