import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { CiJobRow } from '../../../ci/jobs/public.ts';
import { type PipelineRow, pipelineVariables } from '../../../ci/pipelines/public.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { instantOrNull } from '../../../platform/http/schema.ts';
import { archiveParts, environmentParts, pipelineRequestPart, runnerPart, sourcePart } from './ci-parts.ts';
import { jobsOfPipeline, retriesOf, runnersById } from './ci-store.ts';
import { usersOf } from './issue.ts';
import {
  gitRepositoryPart,
  type ProjectWithNamespace,
  projectPart,
  userPart,
  utcText,
  utcTextOrNull,
  webUrl,
} from './parts.ts';
import { commitPart } from './push.ts';

const maxJobs = 500;

const words: Readonly<Record<string, string>> = { success: 'passed', manual: 'blocked', scheduled: 'delayed' };

const seconds = (from: number | null, to: number | null) => (from === null || to === null ? null : (to - from) / 1000);

function commitOf({ git }: Services, projectId: number, sha: string): Promise<Commit | null> {
  return git.objects(git.repository(projectId)).commit(sha);
}

/** Payload for a pipeline in the given state, with its jobs. */
export async function pipelinePayload(
  services: Services,
  located: ProjectWithNamespace,
  pipeline: PipelineRow,
): Promise<object> {
  const { read } = services.db;
  const jobs = (await jobsOfPipeline(read, pipeline.id, maxJobs)).filter(({ kind }) => kind === 'build');
  const ids = new Set([pipeline.user_id, ...jobs.map(({ user_id }) => user_id)].filter((id) => id !== null));
  const [users, runners, commit, variables, environments, archives, request, source] = await Promise.all([
    usersOf(read, [...ids]),
    runnersById(
      read,
      jobs.map(({ runner_id }) => runner_id).filter((id) => id !== null),
    ),
    commitOf(services, pipeline.project_id, pipeline.sha),
    pipelineVariables(read, services.encryption, pipeline.id),
    environmentParts(read, pipeline.project_id, jobs),
    archiveParts(read, jobs),
    pipelineRequestPart(services, pipeline),
    sourcePart(services, pipeline),
  ]);
  const userOf = (id: number | null) => {
    const user = users.find((each) => each.id === id);
    return user ? userPart(services, user) : null;
  };
  const url = webUrl(services, located);
  return {
    object_kind: 'pipeline',
    object_attributes: {
      id: pipeline.id,
      iid: pipeline.iid,
      name: pipeline.name,
      ref: pipeline.ref,
      tag: pipeline.tag === 1,
      sha: pipeline.sha,
      before_sha: pipeline.before_sha,
      source: pipeline.source,
      status: pipeline.status,
      detailed_status: words[pipeline.status] ?? pipeline.status,
      stages: [...new Set(jobs.map(({ stage }) => stage))],
      created_at: utcText(pipeline.created_at),
      finished_at: utcTextOrNull(pipeline.finished_at),
      duration: pipeline.duration,
      queued_duration: pipeline.queued_duration,
      protected_ref: pipeline.protected === 1,
      variables: variables.map(({ key, value }) => ({ key, value })),
      url: `${url}/-/pipelines/${pipeline.id}`,
    },
    merge_request: request,
    user: userOf(pipeline.user_id),
    project: projectPart(services, located),
    commit: commit ? commitPart(commit, url) : null,
    ...source,
    builds: jobs.map((job) => ({
      id: job.id,
      stage: job.stage,
      name: job.name,
      status: job.status,
      created_at: utcText(job.created_at),
      started_at: utcTextOrNull(job.started_at),
      finished_at: utcTextOrNull(job.finished_at),
      duration: seconds(job.started_at, job.finished_at),
      queued_duration: seconds(job.queued_at, job.started_at),
      failure_reason: job.failure_reason,
      when: job.starts,
      manual: job.starts === 'manual',
      allow_failure: job.allow_failure === 1,
      user: userOf(job.user_id),
      runner: runnerPart(runners, job.runner_id),
      artifacts_file: archives.get(job.id) ?? { filename: null, size: null },
      environment: environments.get(job.id) ?? null,
    })),
  };
}

/** Payload for a job in the given state. */
export async function jobPayload(
  services: Services,
  located: ProjectWithNamespace,
  job: CiJobRow,
  pipeline: PipelineRow,
): Promise<object> {
  const { read } = services.db;
  const { project, namespace } = located;
  const [user, runners, commit, retries, environments, source] = await Promise.all([
    findUser(read, job.user_id),
    runnersById(read, job.runner_id === null ? [] : [job.runner_id]),
    commitOf(services, job.project_id, job.sha),
    retriesOf(read, job),
    environmentParts(read, job.project_id, [job]),
    sourcePart(services, pipeline),
  ]);
  return {
    object_kind: 'build',
    ref: job.ref,
    tag: job.tag === 1,
    before_sha: pipeline.before_sha,
    sha: job.sha,
    retries_count: retries,
    build_id: job.id,
    build_name: job.name,
    build_stage: job.stage,
    build_status: job.status,
    build_created_at: utcText(job.created_at),
    build_started_at: utcTextOrNull(job.started_at),
    build_finished_at: utcTextOrNull(job.finished_at),
    build_created_at_iso: instantOrNull(job.created_at),
    build_started_at_iso: instantOrNull(job.started_at),
    build_finished_at_iso: instantOrNull(job.finished_at),
    build_duration: seconds(job.started_at, job.finished_at),
    build_queued_duration: seconds(job.queued_at, job.started_at),
    build_allow_failure: job.allow_failure === 1,
    build_failure_reason: job.failure_reason ?? 'unknown_failure',
    pipeline_id: job.pipeline_id,
    runner: runnerPart(runners, job.runner_id),
    project_id: project.id,
    project_name: `${namespace.full_name} / ${project.name}`,
    user: user ? userPart(services, user) : null,
    commit: {
      id: pipeline.id,
      name: pipeline.name,
      sha: job.sha,
      message: commit?.message ?? null,
      author_name: commit?.author.name ?? null,
      author_email: commit?.author.email ?? null,
      author_url: commit ? `mailto:${commit.author.email}` : null,
      status: pipeline.status,
      duration: pipeline.duration,
      started_at: utcTextOrNull(pipeline.started_at),
      started_at_iso: instantOrNull(pipeline.started_at),
      finished_at: utcTextOrNull(pipeline.finished_at),
      finished_at_iso: instantOrNull(pipeline.finished_at),
    },
    repository: gitRepositoryPart(services, located),
    project: projectPart(services, located),
    environment: environments.get(job.id) ?? null,
    ...source,
  };
}
