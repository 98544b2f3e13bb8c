import type { Project } from '../../access/tables.ts';
import { protectDefaultBranch } from '../../code/protected-refs/public.ts';
import { enqueueRefresh } from '../../code/upkeep/public.ts';
import { defaultBranch, ensureRepository, lockProject, noteRepository } from '../../namespaces/projects/public.ts';
import { fault } from '../../platform/faults.ts';
import { isBranchName } from '../../platform/git/refs/refname.ts';
import type { RemoteSecrets } from '../../platform/git/remote/connection.ts';
import { throughConnection } from '../../platform/git/remote/connection.ts';
import { fetchRefs, listRemote } from '../../platform/git/remote/exchange.ts';
import { setHead } from '../../platform/git/repository.ts';
import type { ImportRun } from '../project-imports/public.ts';

/** Where a repository is, and what of it is wanted. */
export interface Wanted {
  /** As the other host names it: it is checked like any other. */
  readonly url: string;
  readonly secrets: RemoteSecrets;
  /** Refs beside branches and tags, as forced refspecs. */
  readonly refspecs?: readonly string[];
  /** Its own HEAD otherwise. */
  readonly defaultBranch?: string | null;
}

export const importTargets = { schemes: ['http', 'https', 'git'], lowPorts: [80, 443] } as const;

const everything = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

/** Fetches a repository; run again, it brings what has come since. Nothing is told of its branches: they are no news. */
export async function importRepository(run: ImportRun, wanted: Wanted): Promise<void> {
  const { services, project, signal } = run;
  const repo = await ensureRepository(services, project);
  const target = await services.egress.checkUrl(wanted.url, importTargets);
  const { result: head } = await throughConnection(target, wanted.secrets, async (connection) => {
    const remote = await listRemote(repo, connection, { signal });
    const refspecs = [...everything, ...(wanted.refspecs ?? [])];
    if (remote.refs.size > 0) await fetchRefs(repo, connection, refspecs, { signal });
    return remote.head;
  });
  fault('import.fetched');
  await chooseDefaultBranch(run, [wanted.defaultBranch, head]);
}

/** Makes the first of these branches that is there the default one of a repository that was filled. */
export async function chooseDefaultBranch(
  run: ImportRun,
  wanted: readonly (string | null | undefined)[],
): Promise<void> {
  const { services, project } = run;
  const refs = await services.git.listRefs(services.git.repository(project.id), 'refs/heads/');
  const branches = refs.map(({ name }) => name.slice(11));
  const names = [...wanted, defaultBranch(project), 'main', 'master'];
  const branch = names.find((name) => name != null && branches.includes(name)) ?? branches[0];
  if (branch !== undefined) await fill(run, project, branch);
}

async function fill({ services, namespace }: ImportRun, project: Project, branch: string): Promise<void> {
  await setHead(services.git.repository(project.id), branch);
  await services.db.write(async (trx) => {
    await lockProject(trx, project.id);
    await noteRepository(trx, project.id, { empty_repo: 0, default_branch: branch });
    await protectDefaultBranch(trx, { project, namespace }, branch);
    await enqueueRefresh(services, trx, project.id);
  });
}

/** An open request needs its branch. */
export async function ensureBranch({ services, project }: ImportRun, branch: string, sha: string): Promise<void> {
  const repo = services.git.repository(project.id);
  if (!isBranchName(branch) || (await services.git.objects(repo).commit(sha)) === null) return;
  const ref = `refs/heads/${branch}`;
  if ((await services.git.readRef(repo, ref)) !== null) return;
  const result = await services.git.updateRefs(repo, [{ ref, old: null, new: sha }]);
  if (result.status !== 'ok') services.log.info({ ref, project: project.id, result }, 'a branch could not be made');
}
