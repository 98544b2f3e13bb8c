import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { commonAncestor } from '../versions/collect.ts';
import { linkDeployed, notDeployed } from './store.ts';

interface Deployed {
  readonly id: number;
  readonly project_id: number;
  readonly environment_id: number;
  readonly sha: string;
  readonly status: string;
}

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A deployment succeeded; its merge requests have to be determined. */
    'merge-requests.deployed': { deploymentId: number; projectId: number; environmentId: number; sha: string };
  }
}

/** Enqueues the linking of merge requests to a deployment that succeeded. */
export async function followDeployment(
  { queue }: Services,
  trx: Writer,
  { deployment, before }: { readonly deployment: Deployed; readonly before: string | null },
): Promise<void> {
  if (deployment.status !== 'success' || before === 'success') return;
  await queue.enqueue(trx, 'merge-requests.deployed', {
    deploymentId: deployment.id,
    projectId: deployment.project_id,
    environmentId: deployment.environment_id,
    sha: deployment.sha,
  });
}

/** Maximum number of recently merged requests checked per deployment. */
const maxChecked = 200;

export async function linkDeployment(
  services: Services,
  {
    deploymentId,
    projectId,
    environmentId,
    sha,
  }: Record<'deploymentId' | 'projectId' | 'environmentId', number> & {
    readonly sha: string;
  },
): Promise<void> {
  const { db, git } = services;
  const objects = git.objects(git.repository(projectId));
  if ((await objects.commit(sha)) === null) return;
  const brought: number[] = [];
  for (const request of await notDeployed(db.read, projectId, environmentId, maxChecked)) {
    const commit = request.merge_commit_sha ?? request.squash_commit_sha ?? request.head_sha;
    if (commit !== null && (await commonAncestor(objects, commit, sha)) === commit) brought.push(request.id);
  }
  await db.write((trx) => linkDeployed(trx, deploymentId, brought));
}
