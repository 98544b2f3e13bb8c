import type { Status } from './statuses.ts';

/** The `retry:max`, `retry:when` and `retry:exit_codes` of a job. */
export interface RetryRule {
  readonly max: number;
  readonly when: readonly string[];
  readonly exitCodes: readonly number[];
}

export interface Failure {
  readonly reason: string;
  readonly exitCode: number | null;
  /** Number of retried attempts with this job name in the pipeline. */
  readonly retries: number;
}

/** Failures that another attempt cannot fix. */
const permanentFailures: ReadonlySet<string> = new Set([
  'ci_quota_exceeded',
  'no_matching_runner',
  'missing_dependency_failure',
  'forward_deployment_failure',
  'environment_creation_failure',
  'protected_environment_failure',
  'deployment_rejected',
]);
/** A failure of the server rather than the job; retried without any `retry` rule. */
const serverFault = 'scheduler_failure';
const serverFaultRetries = 2;

/** Whether a failed job is retried automatically. */
export function retriesAutomatically(rule: RetryRule, failure: Failure): boolean {
  if (permanentFailures.has(failure.reason)) return false;
  if (failure.reason === serverFault && failure.retries < serverFaultRetries) return true;
  if (failure.retries >= rule.max) return false;
  if (rule.when.includes('always') || rule.when.includes(failure.reason)) return true;
  return failure.exitCode !== null && rule.exitCodes.includes(failure.exitCode);
}

export interface RetryCandidate {
  readonly status: Status;
  /** A newer attempt exists. */
  readonly retried: boolean;
  readonly archived: boolean;
  readonly failureReason: string | null;
  readonly bridge: boolean;
}

const retryable: ReadonlySet<Status> = new Set<Status>(['success', 'failed', 'canceled', 'canceling']);
const notRetryable: ReadonlySet<string> = new Set(['deployment_rejected']);
const notRetryableForBridges: ReadonlySet<string> = new Set([
  'pipeline_loop_detected',
  'reached_max_descendant_pipelines_depth',
]);

/** Whether a user may retry the job. */
export function isRetryable({ status, retried, archived, failureReason, bridge }: RetryCandidate): boolean {
  if (retried || archived || !retryable.has(status)) return false;
  const reason = failureReason ?? '';
  return !notRetryable.has(reason) && !(bridge && notRetryableForBridges.has(reason));
}

/** Whether a failure is allowed, unconditionally or by its exit code. */
export function allowsFailure(allowFailure: boolean, exitCodes: readonly number[], exitCode: number | null): boolean {
  return allowFailure || (exitCode !== null && exitCodes.includes(exitCode));
}
