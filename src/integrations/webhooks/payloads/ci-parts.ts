import type { Services } from '../../../access/services.ts';
import { archivesOf } from '../../../ci/artifacts/public.ts';
import { environmentByName } from '../../../ci/environments/public.ts';
import { type CiJobRow, plannedJob } from '../../../ci/jobs/public.ts';
import { type PipelineRow, pipelinesById } from '../../../ci/pipelines/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { storedStrings } from '../../../platform/stored-json.ts';
import { requestsById } from '../../../review/merge-requests/public.ts';
import type { runnersById } from './ci-store.ts';
import { detailedStatus } from './merge-request.ts';
import { locateProject, projectPart, webUrl } from './parts.ts';

type Runners = Awaited<ReturnType<typeof runnersById>>;

export function runnerPart(runners: Runners, id: number | null) {
  const runner = id === null ? undefined : runners.get(id);
  if (!runner) return null;
  return {
    id: runner.id,
    description: runner.description,
    runner_type: runner.runner_type,
    active: runner.paused === 0,
    is_shared: runner.runner_type === 'instance_type',
    tags: storedStrings(runner.tag_list),
  };
}

/** Returns the environments of jobs by job ID; each environment is loaded once. */
export async function environmentParts(db: Reader, projectId: number, jobs: readonly CiJobRow[]) {
  const planned = jobs.flatMap((job) => {
    const { environment } = plannedJob(job);
    return environment === null ? [] : [[job.id, environment] as const];
  });
  const names = [...new Set(planned.map(([, { name }]) => name))];
  const rows = await Promise.all(names.map((name) => environmentByName(db, projectId, name)));
  const tiers = new Map(rows.flatMap((row) => (row ? [[row.name, row.tier] as const] : [])));
  return new Map(
    planned.map(([id, { name, action, deploymentTier }]) => [
      id,
      { name, action, deployment_tier: tiers.get(name) ?? deploymentTier },
    ]),
  );
}

/** Returns the artifact archives of jobs by job ID. */
export async function archiveParts(db: Reader, jobs: readonly Pick<CiJobRow, 'id'>[]) {
  const archives = await archivesOf(
    db,
    jobs.map(({ id }) => id),
  );
  return new Map(archives.map(({ job_id, filename, size }) => [job_id, { filename, size }]));
}

/** Returns the upstream pipeline, if any. */
export async function sourcePart(services: Services, { parent_id, parent_job_id }: PipelineRow) {
  const { read } = services.db;
  const [parent] = parent_id === null ? [] : await pipelinesById(read, [parent_id]);
  const located = parent && (await locateProject(read, parent.project_id));
  if (!located) return {};
  const { id, web_url, path_with_namespace } = projectPart(services, located);
  return {
    source_pipeline: { project: { id, web_url, path_with_namespace }, pipeline_id: parent.id, job_id: parent_job_id },
  };
}

/** Returns the merge request of a pipeline, if any. */
export async function pipelineRequestPart(services: Services, { merge_request_id: id }: PipelineRow) {
  const { read } = services.db;
  const request = id === null ? undefined : (await requestsById(read, [id])).get(id);
  const located = request && (await locateProject(read, request.project_id));
  if (!located) return null;
  return {
    id: request.id,
    iid: request.iid,
    title: request.title,
    source_branch: request.source_branch,
    source_project_id: request.source_project_id,
    target_branch: request.target_branch,
    target_project_id: request.project_id,
    state: request.state,
    merge_status: request.merge_status,
    detailed_merge_status: detailedStatus(request.merge_status),
    url: `${webUrl(services, located)}/-/merge_requests/${request.iid}`,
  };
}
