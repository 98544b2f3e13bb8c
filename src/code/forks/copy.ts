import type { Services } from '../../access/services.ts';
import { lookUpNamespace } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import {
  defaultBranch,
  ensureRepository,
  findProject,
  lockProject,
  updateRepositoryColumns,
} from '../../namespaces/projects/public.ts';
import { type Repository, repositoryExists } from '../../platform/git/repository.ts';
import { forkRepository } from '../../platform/git/upkeep/fork.ts';
import type { Job } from '../../platform/queue/job.ts';
import { linkAllObjects } from '../lfs/public.ts';
import { protectDefaultBranch } from '../protected-refs/public.ts';
import { enqueueRefresh } from '../upkeep/public.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'projects.fork': { projectId: number; branches?: readonly string[] };
  }
}

type ForkJob = Job<{ readonly projectId: number; readonly branches?: readonly string[] }>;

const hour = 60 * 60 * 1000;

/** Defines the job that copies fork repositories. */
export function forkJobs(services: Services): void {
  services.queue.defineJob('projects.fork', (job) => copyForkedRepository(services, job), {
    timeoutMs: 2 * hour,
    maxAttempts: 5,
  });
}

/** Copies the source repository of a fork. Safe to run again after a crash. */
async function copyForkedRepository(services: Services, job: ForkJob): Promise<void> {
  const { db } = services;
  const project = await findProject(db.read, job.payload.projectId);
  if (!project || project.import_status === 'finished') return;
  try {
    await setState(services, project.id, { import_status: 'started', import_error: null });
    await copy(services, project, job);
    await finish(services, project, job);
  } catch (error) {
    if (!(await findProject(db.read, project.id))) {
      // The fork was deleted during the copy: remove the copied repository.
      await services.git.remove(services.git.repository(project.id));
      return;
    }
    const gaveUp = job.attempt >= job.maxAttempts;
    const import_error = error instanceof Error ? error.message : String(error);
    if (gaveUp) await setState(services, project.id, { import_status: 'failed', import_error });
    throw error;
  }
}

async function setState(
  { db }: Services,
  id: number,
  state: { import_status: string; import_error: string | null },
): Promise<void> {
  await db.write((trx) => updateRepositoryColumns(trx, id, state));
}

async function copy(services: Services, project: Project, { payload, signal }: ForkJob): Promise<void> {
  const { git } = services;
  const repo = git.repository(project.id);
  if (await isFilled(services, repo)) return;
  const source = project.forked_from_id === null ? undefined : git.repository(project.forked_from_id);
  if (!source || !(await isFilled(services, source))) {
    await ensureRepository(services, project);
    return;
  }
  // A concurrent read of the fork may have created an empty repository.
  await git.remove(repo);
  const branches = payload.branches ? { branches: payload.branches } : {};
  await forkRepository(source, repo.path, { defaultBranch: defaultBranch(project), ...branches, signal });
}

async function isFilled({ git }: Services, repo: Repository): Promise<boolean> {
  return (await repositoryExists(repo)) && (await git.listRefs(repo, 'refs/')).length > 0;
}

async function finish(services: Services, project: Project, job: ForkJob): Promise<void> {
  const { db, git } = services;
  const filled = await isFilled(services, git.repository(project.id));
  const namespace = await lookUpNamespace(db.read, String(project.namespace_id));
  if (!namespace) throw new Error(`the namespace of project ${project.id} does not exist`);
  await db.write(async (trx) => {
    await lockProject(trx, project.id);
    await updateRepositoryColumns(trx, project.id, {
      import_status: 'finished',
      import_error: null,
      empty_repo: filled ? 0 : 1,
      default_branch: defaultBranch(project),
    });
    if (filled) await protectDefaultBranch(trx, { project, namespace }, defaultBranch(project));
    if (project.forked_from_id !== null) await linkAllObjects(trx, project.forked_from_id, project.id);
    await enqueueRefresh(services, trx, project.id);
    await job.finish(trx);
  });
}
