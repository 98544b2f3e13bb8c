import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../../access/subjects.ts';
import { basicUsers } from '../../../people/users/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { BadRequest, Invalid } from '../../../platform/http/errors.ts';
import { instant } from '../../../platform/http/schema.ts';
import { jobById, transitionJob } from '../../jobs/public.ts';
import { lockPipeline } from '../../pipelines/public.ts';
import {
  approversOf,
  grantApplies,
  grantsFor,
  missingApprovals,
  type NamedGrant,
  type Protection,
  pendingApprovals,
} from '../protection/access.ts';
import { describe, presentRule } from '../protection/present.ts';
import { deployerOf } from '../protection/rights.ts';
import { approvalsOf, protectionsForEnvironment, saveApproval } from '../protection/store.ts';
import type { ApprovalEntity, ApprovalParams, ApprovalsEntity } from '../schema.ts';
import { environmentsById, updateDeployment } from '../store.ts';
import type { ApprovalRow, DeploymentRow } from '../tables.ts';
import { announceChange, requireDeployment } from './changes.ts';

const maxCommentLength = 255;

async function protectionsOf(db: Reader, { project }: ProjectSubject, deployment: DeploymentRow) {
  const [environment] = await environmentsById(db, [deployment.environment_id]);
  return environment ? protectionsForEnvironment(db, project, environment) : [];
}

async function presentApprovals({ db, externalUrl }: Services, rows: readonly ApprovalRow[]) {
  const users = await basicUsers(
    db.read,
    rows.map(({ user_id }) => user_id),
    externalUrl,
  );
  return rows.map((row): ApprovalEntity & { grant: number | null } => ({
    user: users.get(row.user_id) ?? null,
    status: row.status,
    created_at: instant(row.created_at),
    comment: row.comment,
    grant: row.grant_id,
  }));
}

/** The approvals of a deployment and the pending ones. */
export async function presentApprovalState(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  deployment: DeploymentRow,
): Promise<ApprovalsEntity> {
  const { read } = services.db;
  const [protections, rows] = await Promise.all([
    protectionsOf(read, subject, deployment),
    approvalsOf(read, deployment.id),
  ]);
  const approvals = await presentApprovals(services, rows);
  const rules = grantsFor(protections, 'approve').map((grant) => ({
    ...presentRule(grant),
    deployment_approvals: approvals.filter((approval) => approval.grant === grant.id),
  }));
  const isBlocked = deployment.status === 'blocked';
  const pending_approval_count = isBlocked ? pendingApprovals(protections, rows) : 0;
  const user_can_approve =
    isBlocked && !('problem' in (await reviewerIn(read, caller, subject, protections, deployment)));
  return { pending_approval_count, approvals, user_can_approve, approval_summary: { rules } };
}

/**
 * Approves or rejects a blocked deployment. A rejection fails its job; the last approval allows the job to be played.
 */
export async function reviewDeployment(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { deployment_id, status, comment, represented_as }: ApprovalParams,
): Promise<ApprovalEntity> {
  if (comment !== undefined && [...comment].length > maxCommentLength) {
    throw new Invalid({ comment: [`is too long (maximum is ${maxCommentLength} characters)`] });
  }
  const { job_id } = await requireDeployment(services, subject, deployment_id);
  const saved = await services.db.write(async (trx) => {
    const deployment = await lockBlocked(trx, deployment_id, job_id);
    const protections = await protectionsOf(trx, subject, deployment);
    const approvals = await approvalsOf(trx, deployment.id);
    const otherApprovals = approvals.filter(({ user_id }) => user_id !== caller.user.id);
    const grant = await selectGrant(trx, caller, subject, { protections, otherApprovals, deployment, represented_as });
    const grant_id = grant?.action === 'approve' ? grant.id : null;
    const approval = { deployment_id: deployment.id, user_id: caller.user.id, grant_id, status };
    const row = await saveApproval(trx, { ...approval, comment: comment || null });
    await applyReview(services, trx, deployment, pendingApprovals(protections, [...otherApprovals, row]), row);
    return row;
  });
  const [entity] = await presentApprovals(services, [saved]);
  return entity as ApprovalEntity;
}

/** Locks in the same order as playing or canceling the job does, to avoid deadlocks. */
async function lockBlocked(trx: Writer, id: number, jobId: number | null): Promise<DeploymentRow> {
  const job = jobId === null ? undefined : await jobById(trx, jobId);
  if (job) {
    await lockPipeline(trx, job.pipeline_id);
    await lockRow(trx, 'ci_jobs', job.id);
  }
  const deployment = await lockRow(trx, 'deployments', id);
  if (deployment?.status !== 'blocked') throw BadRequest.plain('This deployment is not waiting for approvals.');
  return deployment;
}

interface ReviewContext {
  readonly protections: readonly Protection[];
  readonly otherApprovals: readonly ApprovalRow[];
  readonly deployment: DeploymentRow;
  readonly represented_as: string | undefined;
}

/** The grants under which the caller may review a deployment, or why they may not. */
async function reviewerIn(
  db: Reader,
  { user }: SignedInActor,
  { project }: ProjectSubject,
  protections: readonly Protection[],
  deployment: DeploymentRow,
): Promise<{ readonly ownGrants: readonly NamedGrant[] } | { readonly problem: string }> {
  const deployer = await deployerOf(db, user, project, protections);
  const ownGrants = protections.flatMap(approversOf).filter((grant) => grantApplies(grant, deployer));
  if (ownGrants.length === 0 && !deployer.admin) {
    return {
      problem: "You don't have permission to review this deployment. Contact the project or group owner for help.",
    };
  }
  const selfApproval = settingsOf(project).allow_pipeline_trigger_approve_deployment === true;
  const isOwn = deployment.user_id === user.id && !selfApproval && !deployer.admin;
  return isOwn ? { problem: 'You cannot approve your own deployment.' } : { ownGrants };
}

/**
 * The grant an approval counts for: the one named by `represented_as`, else the caller's first one with missing
 * approvals.
 */
async function selectGrant(
  db: Reader,
  caller: SignedInActor,
  subject: ProjectSubject,
  { protections, otherApprovals, deployment, represented_as }: ReviewContext,
): Promise<NamedGrant | undefined> {
  const reviewer = await reviewerIn(db, caller, subject, protections, deployment);
  if ('problem' in reviewer) throw BadRequest.plain(reviewer.problem);
  const { ownGrants } = reviewer;
  if (!represented_as) return ownGrants.find((grant) => missingApprovals(grant, otherApprovals) > 0) ?? ownGrants[0];
  const named = ownGrants.find((grant) => describe(grant) === represented_as);
  if (named) return named;
  throw BadRequest.plain(
    'There are no approval rules for the given `represent_as` parameter. Use a valid User/Group/Role name instead.',
  );
}

async function applyReview(
  services: Services,
  trx: Writer,
  deployment: DeploymentRow,
  pending: number,
  { status }: ApprovalRow,
): Promise<void> {
  if (status === 'rejected') {
    if (deployment.job_id === null) return;
    await transitionJob(services, trx, deployment.job_id, 'drop', { failureReason: 'deployment_rejected' });
  } else if (pending === 0) {
    const unblocked = await updateDeployment(trx, deployment.id, { status: 'created', updated_at: Date.now() });
    await announceChange(services, trx, unblocked, deployment.status);
  }
}
