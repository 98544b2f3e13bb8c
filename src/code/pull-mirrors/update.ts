import { actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import { ensureRepository, findProject } from '../../namespaces/projects/public.ts';
import { isAncestor } from '../../platform/git/history/ancestry.ts';
import { type Connection, withConnection } from '../../platform/git/remote/connection.ts';
import { fetchRefs, listRemote } from '../../platform/git/remote/exchange.ts';
import { type Repository, setHead } from '../../platform/git/repository.ts';
import { RunAgain } from '../../platform/queue/job.ts';
import { downloadLfsObjects, lfsPointers } from '../lfs/public.ts';
import { moveRefs, PushRefused } from '../pushes/public.ts';
import { branchFilter, mirrorTargets } from '../remote-mirrors/public.ts';
import { planPull, type RefMove } from './plan.ts';
import { type MirrorSettings, mirrorSettingsOf } from './present.ts';
import { mirrorAddress, pullMirrorSecrets } from './service.ts';
import type { PullMirrorRow } from './tables.ts';

/** A reason why a mirror could not be updated, shown to maintainers. */
export class MirrorProblem extends Error {
  override readonly name = 'MirrorProblem';
}

/** Fetched refs are stored here, hidden from clients. */
const upstreamPrefix = 'refs/remotes/upstream/';
const refsPerBatch = 100;
const retryDelayMs = 2000;

/** Updates a project from its remote. Returns the host keys seen. Throws an error that is shown to the maintainers. */
export async function pullFromMirror(
  services: Services,
  row: PullMirrorRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  const project = await findProject(services.db.read, row.project_id);
  const settings = project && mirrorSettingsOf(project);
  if (!project || !settings?.enabled) return undefined;
  // The initial import from the same source is still running.
  if (project.import_status === 'scheduled' || project.import_status === 'started') throw new RunAgain(retryDelayMs);
  const actor = await mirrorUser(services, settings);
  const subject = await projectSubject(services.db.read, actor, project);
  if (subject.archived) return undefined;
  if (!subject.can('push_code')) {
    throw new MirrorProblem('The mirror user is not allowed to push any code to this project.');
  }
  const repo = await ensureRepository(services, project);
  const { url, credentials } = mirrorAddress(services, row);
  const target = await services.egress.checkUrl(url.href, mirrorTargets);
  const run = { services, subject, actor, settings, repo, signal };
  const { result, knownHosts } = await withConnection(
    target,
    pullMirrorSecrets(services, row, credentials),
    (connection) => fetchUpstream(run, connection),
  );
  if (result.head !== null && project.empty_repo === 1) await setHead(repo, result.head);
  const plan = await planUpdates(run, result.refs);
  const missing = await fetchLargeFiles(run, url, plan.updates);
  const refused = await updateAll(run, plan.updates);
  const problems = [...divergedText(project.default_branch, plan.diverged), ...refused, ...missing];
  if (problems.length > 0) throw new MirrorProblem(problems.join('\n'));
  return knownHosts;
}

interface Run {
  readonly services: Services;
  readonly subject: ProjectSubject;
  readonly actor: SignedInActor;
  readonly settings: MirrorSettings;
  readonly repo: Repository;
  readonly signal: AbortSignal;
}

async function mirrorUser({ db, externalUrl }: Services, { userId }: MirrorSettings): Promise<SignedInActor> {
  const user = await findUser(db.read, userId);
  if (!user || accountRefusal(user, externalUrl) !== undefined) {
    throw new MirrorProblem('The mirror user has been deleted or blocked. Another user has to configure the mirror.');
  }
  return actorOnBehalfOf(user);
}

/** Fetches the refs to mirror and deletes those that no longer exist remotely. Returns them by their remote names. */
async function fetchUpstream(
  { services, subject, settings, repo, signal }: Run,
  connection: Connection,
): Promise<{ refs: ReadonlyMap<string, string>; head: string | null }> {
  const { git } = services;
  const remote = await listRemote(repo, connection, { signal });
  const filter = { only_protected_branches: settings.onlyProtected ? 1 : 0, mirror_branch_regex: settings.branchRegex };
  const includes = await branchFilter(services, filter, subject.project);
  const selected = [...remote.refs.keys()].filter(
    (ref) => ref.startsWith('refs/tags/') || (ref.startsWith('refs/heads/') && includes(ref.slice(11))),
  );
  const filtered = settings.onlyProtected || settings.branchRegex !== null;
  const refspecs = filtered ? selected.map(refspecOf) : ['refs/heads/*', 'refs/tags/*'].map(refspecOf);
  for (let at = 0; at < refspecs.length && selected.length > 0; at += refsPerBatch) {
    await fetchRefs(repo, connection, refspecs.slice(at, at + refsPerBatch), { signal });
  }
  const expected = new Set(selected.map(localRefFor));
  const fetched = await git.listRefs(repo, upstreamPrefix);
  const obsolete = fetched
    .filter(({ name }) => !expected.has(name))
    .map(({ name, oid }) => ({ ref: name, old: oid, new: null }));
  await git.updateRefs(repo, obsolete);
  const refs = fetched.filter(({ name }) => expected.has(name));
  return {
    refs: new Map(refs.map(({ name, oid }) => [`refs/${name.slice(upstreamPrefix.length)}`, oid])),
    head: remote.head,
  };
}

const localRefFor = (ref: string) => upstreamPrefix + ref.slice('refs/'.length);
const refspecOf = (ref: string) => `+${ref}:${localRefFor(ref)}`;

async function planUpdates({ services, subject, settings, repo, signal }: Run, upstream: ReadonlyMap<string, string>) {
  const { git } = services;
  const refs = [...(await git.listRefs(repo, 'refs/heads/')), ...(await git.listRefs(repo, 'refs/tags/'))];
  return planPull(new Map(refs.map(({ name, oid }) => [name, oid])), upstream, {
    overwrites: settings.overwrites,
    defaultBranch: subject.project.default_branch,
    isAncestor: (ours, theirs) => isAncestor(repo, ours, theirs, { signal }),
  });
}

/** Downloads the LFS objects of the new commits. Returns errors for those that failed; the refs are updated anyway. */
async function fetchLargeFiles(
  { services, subject, signal }: Run,
  url: URL,
  updates: readonly RefMove[],
): Promise<string[]> {
  const tips = updates.map(({ new: tip }) => tip);
  if (tips.length === 0 || !/^https?:$/.test(url.protocol)) return [];
  const failed: string[] = [];
  const range = { tips, except: `${upstreamPrefix}*`, signal };
  try {
    for await (const pointers of lfsPointers(services, subject.project.id, range)) {
      await downloadLfsObjects(services, subject.project.id, { url }, pointers, signal, async ({ oid }, reason) => {
        failed.push(`${oid}: ${reason}`);
      });
    }
  } catch (error) {
    if (signal.aborted) throw error;
    failed.push(error instanceof Error ? error.message : String(error));
  }
  if (failed.length === 0) return [];
  services.log.warn(
    { project: subject.project.id, failed: failed.length },
    'failed to download LFS objects of a mirror',
  );
  return [`Error synchronizing LFS files:\n\n${failed.slice(0, 20).join('\n')}`];
}

/** Updates the refs like a push by the mirror user. Returns the rejected updates; the others are applied. */
async function updateAll(run: Run, updates: readonly RefMove[]): Promise<string[]> {
  const refused: string[] = [];
  for (let at = 0; at < updates.length; at += refsPerBatch) {
    const batch = updates.slice(at, at + refsPerBatch);
    if ((await updateBatch(run, batch)) === undefined) continue;
    for (const update of batch) {
      const reason = await updateBatch(run, [update]);
      if (reason !== undefined) refused.push(`${update.ref}: ${reason}`);
    }
  }
  return refused;
}

async function updateBatch(run: Run, changes: readonly RefMove[]): Promise<string | undefined> {
  const { services, actor, settings } = run;
  const project = (await findProject(services.db.read, run.subject.project.id)) ?? run.subject.project;
  const subject = await projectSubject(services.db.read, actor, project);
  const pushOptions = settings.triggersBuilds ? [] : ['ci.no_pipeline'];
  const request = { actor, subject, changes, protocol: 'web', purpose: 'mirror', pushOptions } as const;
  try {
    const result = await moveRefs(services, request);
    // The refs were changed concurrently, e.g. by the initial import: run again with a new plan.
    if (result.status === 'stale' || result.status === 'locked') throw new RunAgain(retryDelayMs);
    return result.status === 'ok' ? undefined : `${result.status}`;
  } catch (error) {
    if (error instanceof PushRefused) return error.message;
    throw error;
  }
}

function divergedText(defaultBranch: string | null, diverged: readonly string[]): string[] {
  if (defaultBranch === null || !diverged.includes(`refs/heads/${defaultBranch}`)) return [];
  return [
    `The default branch (${defaultBranch}) has diverged from its upstream counterpart and could not be updated automatically.`,
  ];
}
