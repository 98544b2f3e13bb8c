import type { Status } from './statuses.ts';

/** As the plan has it: `retry:max`, `retry:when`, `retry:exit_codes`. */
export interface RetryRule {
  readonly max: number;
  readonly when: readonly string[];
  readonly exitCodes: readonly number[];
}

export interface Failure {
  readonly reason: string;
  readonly exitCode: number | null;
  /** How many attempts of this name in the pipeline have been retried before. */
  readonly retries: number;
}

/** Another attempt would end the same way. */
const hopeless: ReadonlySet<string> = new Set([
  'ci_quota_exceeded',
  'no_matching_runner',
  'missing_dependency_failure',
  'forward_deployment_failure',
  'environment_creation_failure',
  'protected_environment_failure',
  'deployment_rejected',
]);
/** Our own fault, so it is tried again without being asked. */
const ownFault = 'scheduler_failure';
const ownFaultRetries = 2;

/** Whether a job that failed is tried again by itself. */
export function retriesAutomatically(rule: RetryRule, failure: Failure): boolean {
  if (hopeless.has(failure.reason)) return false;
  if (failure.reason === ownFault && failure.retries < ownFaultRetries) return true;
  if (failure.retries >= rule.max) return false;
  if (rule.when.includes('always') || rule.when.includes(failure.reason)) return true;
  return failure.exitCode !== null && rule.exitCodes.includes(failure.exitCode);
}

export interface RetryCandidate {
  readonly status: Status;
  /** A newer attempt is there already. */
  readonly retried: boolean;
  readonly archived: boolean;
  readonly failureReason: string | null;
  readonly bridge: boolean;
}

const retryable: ReadonlySet<Status> = new Set<Status>(['success', 'failed', 'canceled', 'canceling']);
const neverAgain: ReadonlySet<string> = new Set(['deployment_rejected']);
const bridgeNeverAgain: ReadonlySet<string> = new Set([
  'pipeline_loop_detected',
  'reached_max_descendant_pipelines_depth',
]);

/** Whether somebody may try it again. */
export function isRetryable({ status, retried, archived, failureReason, bridge }: RetryCandidate): boolean {
  if (retried || archived || !retryable.has(status)) return false;
  const reason = failureReason ?? '';
  return !neverAgain.has(reason) && !(bridge && bridgeNeverAgain.has(reason));
}

/** Whether a failure is allowed: said outright, or by the code that the script ended with. */
export function allowsFailure(allowFailure: boolean, exitCodes: readonly number[], exitCode: number | null): boolean {
  return allowFailure || (exitCode !== null && exitCodes.includes(exitCode));
}
