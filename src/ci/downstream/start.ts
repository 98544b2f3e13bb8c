import { actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { planLimits } from '../../access/limits/plan-limits.ts';
import type { Services } from '../../access/services.ts';
import { lookUpProject, type ProjectSubject, projectSubject, readableProject } from '../../access/subjects.ts';
import { defaultBranch, repositoryOf } from '../../code/repository/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { HttpError } from '../../platform/http/errors.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { expandKnown, type PlannedTrigger } from '../config/public.ts';
import { type CiJobRow, jobById, lockJob, plannedJob, transitionJob } from '../jobs/public.ts';
import {
  createPipeline,
  findRef,
  type PipelineRequest,
  type PipelineVariableInput,
  refRights,
} from '../pipeline-creation/public.ts';
import { type PipelineRow, pipelinesById, pipelineVariables, withAncestors } from '../pipelines/public.ts';
import { mergeRequestVariables, upstreamVariables, variablesOfJob } from '../variables/public.ts';
import { maxAncestors, refusalOf } from './hierarchy.ts';
import { countFamily } from './store.ts';

/** The downstream pipeline cannot be created; `reason` becomes the failure reason of the bridge. */
class Refused extends Error {
  readonly reason: string;

  constructor(reason: string, text = reason) {
    super(text);
    this.reason = reason;
  }
}

/** The bridge ended while its pipeline was being created. */
class BridgeEnded extends Error {}

/** Creates the downstream pipeline of a bridge. Idempotent: a repeated run finds the pipeline linked. */
export async function startDownstream(services: Services, job: Job<{ jobId: number }>): Promise<void> {
  const { db } = services;
  const bridge = await jobById(db.read, job.payload.jobId);
  if (bridge?.status !== 'pending' || bridge.downstream_pipeline_id !== null) return;
  const trigger = plannedJob(bridge).trigger;
  const [pipeline] = await pipelinesById(db.read, [bridge.pipeline_id]);
  if (!trigger || !pipeline) return;
  try {
    await enforceRateLimit(services, bridge);
    const request = await requestOf(services, bridge, pipeline, trigger);
    const created = await createPipeline(services, request, {
      saveInvalid: true,
      also: (trx, downstream) => linkDownstream(services, trx, bridge, trigger, downstream, () => job.finish(trx)),
    });
    if ('refused' in created) throw new Refused('downstream_pipeline_creation_failed', created.refused);
  } catch (error) {
    if (error instanceof BridgeEnded) return;
    if (!(error instanceof Refused)) throw error;
    const options = { failureReason: error.reason };
    await db.write((trx) => transitionJob(services, trx, bridge.id, 'drop', options));
  }
}

/** Enforces the instance's rate limit of downstream pipelines per project, user and commit. */
async function enforceRateLimit({ limits, settings }: Services, { project_id, user_id, sha }: CiJobRow): Promise<void> {
  const { downstream_pipeline_trigger_limit_per_project_user_sha: count } = await settings.read();
  if (count === 0) return;
  const rate = { count, period: 60_000 };
  const { exceeded } = await limits.count('downstream_pipeline_trigger', `${project_id} ${user_id} ${sha}`, rate);
  if (exceeded) throw new Refused('reached_downstream_pipeline_trigger_rate_limit');
}

/**
 * Links the bridge to its pipeline in the transaction that creates it. The bridge succeeds unless its strategy is to
 * wait.
 */
async function linkDownstream(
  services: Services,
  trx: Writer,
  bridge: CiJobRow,
  trigger: PlannedTrigger,
  downstream: PipelineRow,
  finish: () => Promise<void>,
): Promise<void> {
  const locked = await lockJob(trx, bridge.id);
  if (locked?.status !== 'pending') throw new BridgeEnded();
  const change = { downstream_pipeline_id: downstream.id };
  const failed = downstream.failure_reason === 'config_error';
  await transitionJob(services, trx, bridge.id, 'run', { change });
  if (failed) {
    await transitionJob(services, trx, bridge.id, 'drop', { failureReason: 'downstream_pipeline_creation_failed' });
  } else if (trigger.strategy === null) await transitionJob(services, trx, bridge.id, 'success');
  await finish();
}

/** Project, ref and commit of a downstream pipeline. */
type Target = Omit<PipelineRequest, 'actor' | 'variables' | 'inputs' | 'parent'> & { readonly mayRun: boolean };

async function requestOf(
  services: Services,
  bridge: CiJobRow,
  pipeline: PipelineRow,
  trigger: PlannedTrigger,
): Promise<PipelineRequest> {
  const values = new Map((await variablesOfJob(services, services.db.read, bridge)).map((one) => [one.key, one.value]));
  const expand = (text: string) => expandKnown(text, (name) => values.get(name));
  const actor = await actorOf(services, bridge);
  const target =
    trigger.project === null
      ? await childTarget(services, actor, pipeline, trigger)
      : await multiProjectTarget(
          services,
          actor,
          pipeline,
          expand(trigger.project),
          trigger.branch && expand(trigger.branch),
        );
  const { db } = services;
  const ancestors = await withAncestors(db.read, pipeline.id, maxAncestors);
  const limit = (await planLimits(db.read)).pipeline_hierarchy_size;
  const family = { size: await countFamily(db.read, ancestors.at(-1)?.id ?? pipeline.id, limit), limit };
  const child = trigger.project === null;
  const planned = { child, projectId: target.subject.project.id, ref: target.ref };
  const refusal = refusalOf(ancestors, family, planned);
  if (refusal !== null) throw new Refused(refusal);
  if (!target.mayRun) throw new Refused('insufficient_bridge_permissions');
  const { mayRun: _, ...place } = target;
  return {
    ...place,
    actor,
    variables: await forwardedVariables(services, bridge, trigger, expand),
    inputs: trigger.inputs,
    parent: { pipelineId: pipeline.id, jobId: bridge.id },
    predefined: { ...place.predefined, ...upstreamVariables(pipeline, bridge) },
  };
}

async function actorOf({ db, externalUrl }: Services, { user_id }: CiJobRow): Promise<SignedInActor> {
  const user = await findUser(db.read, user_id);
  if (!user || accountRefusal(user, externalUrl) !== undefined) throw new Refused('insufficient_bridge_permissions');
  return actorOnBehalfOf(user);
}

/** A child pipeline runs in its parent's project on the same commit. */
async function childTarget(
  services: Services,
  actor: SignedInActor,
  pipeline: PipelineRow,
  trigger: PlannedTrigger,
): Promise<Target> {
  const { db, git } = services;
  const found = await lookUpProject(db.read, `${pipeline.project_id}`);
  if (!found) throw new Refused('downstream_bridge_project_not_found');
  const subject = await projectSubject(db.read, actor, found.project);
  const commit = await git.objects(repositoryOf(services, subject)).commit(pipeline.sha);
  if (!commit) throw new Refused('downstream_pipeline_creation_failed', 'Commit not found');
  return {
    subject,
    commit,
    ref: pipeline.ref,
    ...(await childContext(services, pipeline)),
    source: 'parent_pipeline',
    protected: pipeline.protected === 1,
    config: { include: trigger.include },
    mayRun: subject.can('create_pipeline'),
  };
}

/** The base commit of a child and its merge request, both inherited from the parent. */
async function childContext(
  services: Services,
  pipeline: PipelineRow,
): Promise<Pick<Target, 'kind' | 'before' | 'mergeRequest' | 'predefined'>> {
  const { merge_request_id: id, source_sha: source, target_sha: target } = pipeline;
  if (id === null) {
    const before = /^0*$/.test(pipeline.before_sha) ? null : pipeline.before_sha;
    return { kind: pipeline.tag === 1 ? 'tag' : 'branch', before };
  }
  const predefined = await mergeRequestVariables(services, services.db.read, pipeline);
  const sourceBranch = predefined.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME ?? pipeline.ref;
  return {
    kind: 'merge_request',
    before: predefined.CI_MERGE_REQUEST_DIFF_BASE_SHA || null,
    mergeRequest: { id, sourceBranch, ...(source !== null && target !== null && { merges: { source, target } }) },
    predefined,
  };
}

async function multiProjectTarget(
  services: Services,
  actor: SignedInActor,
  pipeline: PipelineRow,
  path: string,
  branch: string | null,
): Promise<Target> {
  const subject = await projectOf(services, actor, path);
  if (subject.project.id === pipeline.project_id) throw new Refused('invalid_bridge_trigger');
  if (!subject.can('create_pipeline')) throw new Refused('insufficient_bridge_permissions');
  const found = await findRef(services, subject, branch ?? defaultBranch(subject));
  if ('problem' in found) throw new Refused('downstream_pipeline_creation_failed', found.problem);
  const { kind, name: ref, commit } = found;
  const rights = await refRights(services, actor, subject, kind, ref);
  const place = { subject, commit, kind, ref, before: null, source: 'pipeline', protected: rights.protected };
  return { ...place, mayRun: rights.mayRun };
}

async function projectOf({ db }: Services, actor: SignedInActor, path: string): Promise<ProjectSubject> {
  return readableProject(db, actor, path).catch((error: unknown) => {
    throw error instanceof HttpError ? new Refused('downstream_bridge_project_not_found') : error;
  });
}

/** Variables passed downstream: those of the bridge and of its pipeline, as configured by `trigger:forward`. */
async function forwardedVariables(
  { db, encryption }: Services,
  bridge: CiJobRow,
  { forward }: PlannedTrigger,
  expand: (text: string) => string,
): Promise<PipelineVariableInput[]> {
  const inherited = forward.pipelineVariables ? await pipelineVariables(db.read, encryption, bridge.pipeline_id) : [];
  const own = forward.yamlVariables ? plannedJob(bridge).variables : [];
  return [
    ...own.map(({ key, value, raw }) => ({
      key,
      value: raw ? value : expand(value),
      variableType: 'env_var' as const,
      raw,
    })),
    ...inherited,
  ];
}
