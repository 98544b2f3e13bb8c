import type { Services } from '../../../access/services.ts';
import { hasConfiguration, pushedPipelineKey } from '../../../ci/pipeline-creation/public.ts';
import { findProjects } from '../../../namespaces/projects/public.ts';
import type { MergeRequestRow } from '../tables.ts';

/** Deduplication key of the job that creates the pipeline of a head. */
export const pipelineKey = (id: number, head: string) => `${id} ${head}`;

/** Why a merge request has no pipeline: it is still being created, or missing although the project has pipelines. */
export type AwaitedPipeline = 'being made' | 'missing';

/**
 * For merge requests without a pipeline: whether one is being created, or whether the project has pipelines otherwise.
 */
export async function awaitedPipelines(
  services: Services,
  requests: readonly MergeRequestRow[],
): Promise<ReadonlyMap<number, AwaitedPipeline>> {
  const rows = requests.filter(({ state, head_pipeline_id }) => state === 'opened' && head_pipeline_id === null);
  if (rows.length === 0) return new Map();
  const keys = rows.map((row) => ({ id: row.id, ...keysOf(row) }));
  const [own, pushed, projects] = await Promise.all([
    services.queue.underWay(
      'merge-requests.pipeline',
      keys.map((key) => key.own),
    ),
    services.queue.underWay(
      'ci.pushed',
      keys.map((key) => key.pushed),
    ),
    findProjects(services.db.read, [...new Set(rows.map(({ project_id }) => project_id))]),
  ]);
  const configured = new Set<number>();
  for (const project of projects) if (await hasConfiguration(services, project)) configured.add(project.id);
  const coming = new Set(keys.filter((key) => own.has(key.own) || pushed.has(key.pushed)).map(({ id }) => id));
  return new Map(
    rows
      .filter(({ project_id }) => configured.has(project_id))
      .map(({ id }) => [id, coming.has(id) ? 'being made' : 'missing']),
  );
}

function keysOf({ id, head_sha, source_project_id, source_branch }: MergeRequestRow) {
  const tip = head_sha ?? '';
  return {
    own: pipelineKey(id, tip),
    pushed: pushedPipelineKey({ projectId: source_project_id ?? 0, kind: 'branch', name: source_branch, tip }),
  };
}
