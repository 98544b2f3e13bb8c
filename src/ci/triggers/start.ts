import { actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { BadRequest, HttpError, Invalid, NotFound, ParameterError, Unauthorized } from '../../platform/http/errors.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import {
  type PipelineOrigin,
  type PipelineVariableInput,
  readInputs,
  startPipelineOnRef,
  startWithVariables,
} from '../pipeline-creation/public.ts';
import { type PipelineEntity, presentPipeline } from '../pipelines/public.ts';
import { upstreamVariables } from '../variables/public.ts';
import type { StartParams } from './schema.ts';
import { shortTokenOf } from './service.ts';
import * as store from './store.ts';

/** What a token permits: starting pipelines with this source as this user. */
interface Grant {
  readonly user: User;
  /** The actor used to look up the project; a job token only finds projects that allow it. */
  readonly actor: SignedInActor;
  readonly source: 'trigger' | 'pipeline';
  readonly projectId: number | null;
  readonly origin: PipelineOrigin;
}

/** Starts a pipeline with a trigger token or the token of a running job. */
export async function startByToken(services: Services, params: StartParams): Promise<PipelineEntity> {
  const callerVariables = readVariables(params.variables);
  const inputs = readInputs(params.inputs);
  const grant = params.token.startsWith('glcbt-')
    ? await grantOfJob(services, params.token)
    : await grantOfTrigger(services, params.token);
  const subject = await projectFor(services, grant, params.id);
  const { token: _, id: __, ...payload } = params;
  const variables: PipelineVariableInput[] = [
    { key: 'TRIGGER_PAYLOAD', value: JSON.stringify(payload), variableType: 'file', raw: true },
    ...callerVariables,
  ];
  const { source, origin } = grant;
  const request = { actor: actorOnBehalfOf(grant.user), subject, ref: params.ref, source, inputs, ...origin };
  // The payload variable is always set; only variables sent by the caller require permission to set variables.
  const start = callerVariables.length > 0 ? startWithVariables : startPipelineOnRef;
  const created = await start(services, { ...request, variables }, { saveInvalid: true });
  if ('refused' in created) throw new Invalid({ base: [created.refused] });
  if (created.pipeline.failure_reason === 'config_error') {
    throw new HttpError(422, { message: { base: [created.pipeline.yaml_errors ?? 'Invalid configuration format'] } });
  }
  return presentPipeline(services, subject, created.pipeline);
}

function readVariables(sent: unknown): PipelineVariableInput[] {
  if (sent === undefined || sent === null) return [];
  const invalid = new ParameterError('variables is invalid');
  if (typeof sent !== 'object' || Array.isArray(sent)) throw invalid;
  const entries = Object.entries(sent);
  if (entries.some(([, value]) => typeof value !== 'string')) {
    const text = 'variables needs to be a map of key-valued strings';
    throw BadRequest.plain(text);
  }
  return entries.map(([key, value]) => ({ key, value: String(value), variableType: 'env_var' }));
}

async function grantOfTrigger(services: Services, token: string): Promise<Grant> {
  const { db, externalUrl } = services;
  const trigger = await store.triggerByDigest(db.read, digest(token));
  const now = Date.now();
  if (!trigger || (trigger.expires_at !== null && trigger.expires_at <= now)) throw new NotFound();
  const user = await findUser(db.read, trigger.owner_id);
  if (!user || accountRefusal(user, externalUrl) !== undefined) throw new NotFound();
  await db.write((trx) => store.updateTrigger(trx, trigger.id, { last_used_at: now }));
  const predefined = { CI_PIPELINE_TRIGGERED: 'true', CI_TRIGGER_SHORT_TOKEN: shortTokenOf(services, trigger) };
  const origin = { triggerId: trigger.id, predefined };
  return { user, actor: actorOnBehalfOf(user), source: 'trigger', projectId: trigger.project_id, origin };
}

async function grantOfJob({ db, externalUrl }: Services, token: string): Promise<Grant> {
  const job = await store.jobByToken(db.read, digest(token));
  if (!job) throw new NotFound();
  if (job.status !== 'running' || job.erased_at !== null) throw new Unauthorized('Job is not running');
  const user = await findUser(db.read, job.user_id);
  if (!user || accountRefusal(user, externalUrl) !== undefined) throw new NotFound();
  const origin = {
    parent: { pipelineId: job.pipeline_id, jobId: job.id },
    predefined: upstreamVariables({ id: job.pipeline_id, project_id: job.project_id }, job),
  };
  const actor: SignedInActor = {
    ...actorOnBehalfOf(user),
    carrier: 'job',
    job: { id: job.id, projectId: job.project_id },
  };
  return { user, actor, source: 'pipeline', projectId: null, origin };
}

/** Loads the project if the token applies to it and its owner can still read it. */
async function projectFor({ db }: Services, grant: Grant, id: string): Promise<ProjectSubject> {
  const subject = await readableProject(db, grant.actor, id).catch((error: unknown) => {
    throw error instanceof HttpError ? new NotFound() : error;
  });
  if (grant.projectId !== null && grant.projectId !== subject.project.id) throw new NotFound();
  return subject;
}
