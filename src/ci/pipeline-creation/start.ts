import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import type { DeclaredInput } from '../config/public.ts';
import { configurationOf, inputsOf, type PipelineOrigin, type PipelineVariableInput } from './plan.ts';
import { findRef } from './ref.ts';
import { refRights } from './ref-rights.ts';
import { type Creation, type CreationOptions, createPipeline } from './service.ts';
import { maySetVariables } from './variable-rights.ts';

/** A request to run a pipeline on the current commit of a branch or tag. */
export interface StartRequest extends PipelineOrigin {
  readonly actor: SignedInActor;
  readonly subject: ProjectSubject;
  /** Full or short ref name. */
  readonly ref: string;
  /** As in `CI_PIPELINE_SOURCE`. */
  readonly source: string;
  readonly variables: readonly PipelineVariableInput[];
  readonly inputs?: Readonly<Record<string, unknown>>;
}

export type Start = Creation | { readonly refused: string; readonly reason: 'ref' | 'forbidden' | 'variables' };

/** The inputs that the configuration of a branch or tag declares for new pipelines. */
export async function pipelineInputs(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  ref: string,
): Promise<readonly DeclaredInput[]> {
  const found = await findRef(services, subject, ref);
  if ('problem' in found) throw new NotFound('Reference');
  const { kind, name, commit } = found;
  const source = await configurationOf(services, subject, commit);
  if (!source) return [];
  const rights = await refRights(services, actor, subject, kind, name);
  const request = { actor, subject, ref: name, kind, commit, before: null, source: 'web', inputs: {}, variables: [] };
  const declared = await inputsOf(services, source, { ...request, protected: rights.mayRun && rights.protected });
  if ('error' in declared) throw new Invalid({ base: [declared.error] });
  return declared.inputs;
}

/** Creates a pipeline if the actor may run one on this ref; otherwise returns the reason. */
export async function startPipelineOnRef(
  services: Services,
  request: StartRequest,
  options?: CreationOptions,
): Promise<Start> {
  const { actor, subject, inputs = {} } = request;
  if (!subject.can('create_pipeline')) {
    return { refused: 'Insufficient permissions to create a new pipeline', reason: 'forbidden' };
  }
  if (request.variables.some(({ key }) => !/^[A-Za-z0-9_]{1,255}$/.test(key))) {
    return { refused: "Variables key can contain only letters, digits and '_'.", reason: 'variables' };
  }
  const found = await findRef(services, subject, request.ref);
  if ('problem' in found) return { refused: found.problem, reason: 'ref' };
  const { kind, name: ref, commit } = found;
  const rights = await refRights(services, actor, subject, kind, ref);
  if (!rights.mayRun) {
    const advice = 'Please select a different branch or contact your administrator for assistance.';
    return {
      refused: `You do not have sufficient permission to run a pipeline on '${ref}'. ${advice}`,
      reason: 'forbidden',
    };
  }
  const target = { ref, kind, commit, before: null, protected: rights.protected, inputs };
  return createPipeline(services, { ...request, ...target }, options);
}

/** Like `startPipelineOnRef`, with variables chosen by the caller, which the project may restrict. */
export function startWithVariables(
  services: Services,
  request: StartRequest,
  options?: CreationOptions,
): Promise<Start> {
  if (request.variables.length > 0 && !maySetVariables(request.subject)) {
    const refused = 'Insufficient permissions to set pipeline variables';
    return Promise.resolve({ refused, reason: 'variables' });
  }
  return startPipelineOnRef(services, request, options);
}
