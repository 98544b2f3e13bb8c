import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part, Resolve } from '../engine/part.ts';

const statuses = `CANCELED CANCELING CREATED FAILED MANUAL PENDING PREPARING RUNNING SCHEDULED SKIPPED SUCCESS
  WAITING_FOR_CALLBACK WAITING_FOR_RESOURCE`;
const ended: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped']);

const pathOf = ({ project_id, id }: Entity) => `/projects/${project_id}/pipelines/${id}`;

/** Resolves a field that lists of pipelines omit, by reading the pipeline itself. */
const detailed =
  (name: string): Resolve =>
  async (pipeline, _args, context) =>
    (name in pipeline ? pipeline : await context.read(pathOf(pipeline)))?.[name] ?? null;

const upper =
  (name: string): Resolve =>
  (entity) =>
    entity[name]?.toUpperCase() ?? null;

/** The display text of a status. */
const wordFor = (status: string) => (status === 'success' ? 'passed' : status.replaceAll('_', ' '));

const addressPath: Resolve = ({ web_url }) => (web_url ? new URL(web_url).pathname : null);

/** The pipeline with a global id, or the latest one of a commit. */
async function pipelineOf(context: ResolverContext, projectId: number, { id, sha }: Entity): Promise<Entity | null> {
  if (id) return context.read(`/projects/${projectId}/pipelines/${id.id}`);
  if (!sha) return null;
  const [found] = (await context.read(`/projects/${projectId}/pipelines`, { sha, per_page: 1 })) ?? [];
  return found ?? null;
}

const filters = `ref: String, sha: String, source: String, status: PipelineStatusEnum, username: String, ${pageArguments}`;

export const pipelines: Part = {
  types: `
    extend type Project {
      pipeline(id: CiPipelineID, sha: String): Pipeline
      pipelines(${filters}): PipelineConnection
      job(id: JobID!): CiJob
    }
    extend type MergeRequest {
      headPipeline: Pipeline
      pipelines(${pageArguments}): PipelineConnection
    }
    enum PipelineStatusEnum { ${statuses} }
    enum CiJobStatus { ${statuses} }
    type Pipeline {
      active: Boolean!
      complete: Boolean!
      coverage: Float
      createdAt: Time!
      detailedStatus: DetailedStatus!
      duration: Int
      finishedAt: Time
      id: ID!
      iid: String!
      jobs(retried: Boolean, ${pageArguments}): CiJobConnection
      name: String
      path: String
      ref: String
      sha: String
      source: String
      startedAt: Time
      status: PipelineStatusEnum!
      updatedAt: Time!
      user: UserCore
      userPermissions: PipelinePermissions!
    }
    "Permissions of the caller on a pipeline."
    type PipelinePermissions { adminPipeline: Boolean! destroyPipeline: Boolean! updatePipeline: Boolean! }
    type DetailedStatus {
      detailsPath: String
      favicon: String
      group: String
      hasDetails: Boolean
      icon: String
      label: String
      text: String
      tooltip: String
    }
    type CiJob {
      allowFailure: Boolean!
      coverage: Float
      createdAt: Time!
      detailedStatus: DetailedStatus
      duration: Int
      finishedAt: Time
      id: JobID
      name: String
      pipeline: Pipeline
      queuedDuration: Float
      refName: String
      scheduledAt: Time
      stage: CiStage
      startedAt: Time
      status: CiJobStatus
      tags: [String!]
      webPath: String
    }
    type CiStage { name: String }
    ${connectionTypes('Pipeline', 'count: Int!')}
    ${connectionTypes('CiJob', 'count: Int!')}
  `,
  fields: {
    Project: {
      pipeline: ({ id }, args, context) => pipelineOf(context, id, args),
      pipelines: ({ id }, { ref, sha, source, status, username, ...page }, context) => {
        const query = { ref, sha, source: source?.toLowerCase(), status: status?.toLowerCase(), username };
        return restConnection(context, `/projects/${id}/pipelines`, page, { query });
      },
      job: ({ id }, { id: job }, context) => context.read(`/projects/${id}/jobs/${job.id}`),
    },
    MergeRequest: {
      headPipeline: async ({ project_id, iid, ...request }, _args, context) => {
        const whole = 'head_pipeline' in request ? request : null;
        const path = `/projects/${project_id}/merge_requests/${iid}`;
        return (whole ?? (await context.read(path)))?.head_pipeline ?? null;
      },
      pipelines: ({ project_id, iid }, page, context) =>
        restConnection(context, `/projects/${project_id}/merge_requests/${iid}/pipelines`, page),
    },
    Pipeline: {
      id: ({ id }) => globalId('Ci::Pipeline', id),
      iid: ({ iid }) => String(iid),
      active: ({ status }) => !ended.has(status) && status !== 'manual' && status !== 'scheduled',
      complete: ({ status }) => ended.has(status),
      coverage: detailed('coverage'),
      detailedStatus: detailed('detailed_status'),
      duration: detailed('duration'),
      finishedAt: detailed('finished_at'),
      jobs: (pipeline, { retried, ...page }, context) =>
        restConnection(context, `${pathOf(pipeline)}/jobs`, page, {
          query: { include_retried: retried },
          as: (job) => ({ ...job, pipeline }),
        }),
      path: addressPath,
      startedAt: detailed('started_at'),
      status: upper('status'),
      user: detailed('user'),
      userPermissions: (pipeline) => pipeline,
    },
    PipelinePermissions: {
      adminPipeline: async ({ project_id }, _args, context) =>
        (await context.project(project_id))?.can('admin_pipeline') ?? false,
      destroyPipeline: async ({ project_id }, _args, context) =>
        (await context.project(project_id))?.can('destroy_pipeline') ?? false,
      updatePipeline: async ({ project_id }, _args, context) =>
        (await context.project(project_id))?.can('update_pipeline') ?? false,
    },
    CiJob: {
      id: ({ id }) => globalId('Ci::Build', id),
      detailedStatus: (job, args, context, info) => ({
        details_path: addressPath(job, args, context, info),
        group: job.status,
        has_details: true,
        icon: `status_${job.status}`,
        label: wordFor(job.status),
        text: wordFor(job.status),
        tooltip: wordFor(job.status),
      }),
      duration: ({ duration }) => (duration === null ? null : Math.round(duration)),
      refName: ({ ref }) => ref,
      stage: ({ stage }) => ({ name: stage }),
      status: upper('status'),
      tags: ({ tag_list }) => tag_list,
      webPath: addressPath,
    },
  },
};
