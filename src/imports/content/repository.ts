import type { Project } from '../../access/tables.ts';
import { protectDefaultBranch } from '../../code/protected-refs/public.ts';
import { enqueueRefresh } from '../../code/upkeep/public.ts';
import {
  defaultBranch,
  ensureRepository,
  lockProject,
  updateRepositoryColumns,
} from '../../namespaces/projects/public.ts';
import { fault } from '../../platform/faults.ts';
import { isBranchName } from '../../platform/git/refs/refname.ts';
import type { RemoteSecrets } from '../../platform/git/remote/connection.ts';
import { withConnection } from '../../platform/git/remote/connection.ts';
import { fetchRefs, listRemote } from '../../platform/git/remote/exchange.ts';
import { setHead } from '../../platform/git/repository.ts';
import type { ImportRun } from '../project-imports/public.ts';

/** A repository to import. */
export interface RepositorySource {
  /** URL given by the source host; validated like any other. */
  readonly url: string;
  readonly secrets: RemoteSecrets;
  /** Forced refspecs of refs besides branches and tags. */
  readonly refspecs?: readonly string[];
  /** Defaults to the HEAD of the repository. */
  readonly defaultBranch?: string | null;
}

export const importTargets = { schemes: ['http', 'https', 'git'], lowPorts: [80, 443] } as const;

const allRefs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

/** Fetches a repository; repeated runs fetch what is new. Imported branches trigger no events. */
export async function importRepository(run: ImportRun, source: RepositorySource): Promise<void> {
  const { services, project, signal } = run;
  const repo = await ensureRepository(services, project);
  const target = await services.egress.checkUrl(source.url, importTargets);
  const { result: head } = await withConnection(target, source.secrets, async (connection) => {
    const remote = await listRemote(repo, connection, { signal });
    const refspecs = [...allRefs, ...(source.refspecs ?? [])];
    if (remote.refs.size > 0) await fetchRefs(repo, connection, refspecs, { signal });
    return remote.head;
  });
  fault('import.fetched');
  await chooseDefaultBranch(run, [source.defaultBranch, head]);
}

/** Sets the default branch to the first of these branches that exists. */
export async function chooseDefaultBranch(
  run: ImportRun,
  candidates: readonly (string | null | undefined)[],
): Promise<void> {
  const { services, project } = run;
  const refs = await services.git.listRefs(services.git.repository(project.id), 'refs/heads/');
  const branches = refs.map(({ name }) => name.slice(11));
  const names = [...candidates, defaultBranch(project), 'main', 'master'];
  const branch = names.find((name) => name != null && branches.includes(name)) ?? branches[0];
  if (branch !== undefined) await fill(run, project, branch);
}

async function fill({ services, namespace }: ImportRun, project: Project, branch: string): Promise<void> {
  await setHead(services.git.repository(project.id), branch);
  await services.db.write(async (trx) => {
    await lockProject(trx, project.id);
    await updateRepositoryColumns(trx, project.id, { empty_repo: 0, default_branch: branch });
    await protectDefaultBranch(trx, { project, namespace }, branch);
    await enqueueRefresh(services, trx, project.id);
  });
}

/** Creates the source branch of an open merge request. */
export async function ensureBranch({ services, project }: ImportRun, branch: string, sha: string): Promise<void> {
  const repo = services.git.repository(project.id);
  if (!isBranchName(branch) || (await services.git.objects(repo).commit(sha)) === null) return;
  const ref = `refs/heads/${branch}`;
  if ((await services.git.readRef(repo, ref)) !== null) return;
  const result = await services.git.updateRefs(repo, [{ ref, old: null, new: sha }]);
  if (result.status !== 'ok') services.log.info({ ref, project: project.id, result }, 'failed to create a branch');
}
