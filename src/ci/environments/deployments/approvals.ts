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
  grantsFor,
  includes,
  lackingOf,
  type NamedGrant,
  type Protection,
  pendingApprovals,
} from '../protection/access.ts';
import { describe, presentRule } from '../protection/present.ts';
import { deployerOf } from '../protection/rights.ts';
import { approvalsOf, protectionsOver, saveApproval } from '../protection/store.ts';
import type { ApprovalEntity, ApprovalParams, ApprovalsEntity } from '../schema.ts';
import { environmentsById, updateDeployment } from '../store.ts';
import type { ApprovalRow, DeploymentRow } from '../tables.ts';
import { requireDeployment, tell } from './changes.ts';

const longestComment = 255;

async function protectionsOf(db: Reader, { project }: ProjectSubject, deployment: DeploymentRow) {
  const [environment] = await environmentsById(db, [deployment.environment_id]);
  return environment ? protectionsOver(db, project, environment) : [];
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

/** What was said of a deployment, and what it still waits for. */
export async function approvalsShown(
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

/** Approves a deployment that waits for that, or rejects it: its job then fails. The last approval lets it be played. */
export async function reviewDeployment(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { deployment_id, status, comment, represented_as }: ApprovalParams,
): Promise<ApprovalEntity> {
  if (comment !== undefined && [...comment].length > longestComment) {
    throw new Invalid({ comment: [`is too long (maximum is ${longestComment} characters)`] });
  }
  const { job_id } = await requireDeployment(services, subject, deployment_id);
  const saved = await services.db.write(async (trx) => {
    const deployment = await lockBlocked(trx, deployment_id, job_id);
    const protections = await protectionsOf(trx, subject, deployment);
    const approvals = await approvalsOf(trx, deployment.id);
    const others = approvals.filter(({ user_id }) => user_id !== caller.user.id);
    const grant = await grantUsed(trx, caller, subject, { protections, others, deployment, represented_as });
    const grant_id = grant?.action === 'approve' ? grant.id : null;
    const said = { deployment_id: deployment.id, user_id: caller.user.id, grant_id, status };
    const row = await saveApproval(trx, { ...said, comment: comment || null });
    await follow(services, trx, deployment, pendingApprovals(protections, [...others, row]), row);
    return row;
  });
  const [entity] = await presentApprovals(services, [saved]);
  return entity as ApprovalEntity;
}

/** The locks are taken in the order in which whoever plays or cancels its job takes them. */
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

interface Reviewed {
  readonly protections: readonly Protection[];
  readonly others: readonly ApprovalRow[];
  readonly deployment: DeploymentRow;
  readonly represented_as: string | undefined;
}

/** The rules that somebody may speak for, or why they may not speak. */
async function reviewerIn(
  db: Reader,
  { user }: SignedInActor,
  { project }: ProjectSubject,
  protections: readonly Protection[],
  deployment: DeploymentRow,
): Promise<{ readonly own: readonly NamedGrant[] } | { readonly problem: string }> {
  const deployer = await deployerOf(db, user, project, protections);
  const own = protections.flatMap(approversOf).filter((grant) => includes(grant, deployer));
  if (own.length === 0 && !deployer.admin) {
    return {
      problem: "You don't have permission to review this deployment. Contact the project or group owner for help.",
    };
  }
  const selfApproval = settingsOf(project).allow_pipeline_trigger_approve_deployment === true;
  const isOwn = deployment.user_id === user.id && !selfApproval && !deployer.admin;
  return isOwn ? { problem: 'You cannot approve your own deployment.' } : { own };
}

/** As whom somebody speaks: the rule that they name, or the first of theirs that waits for somebody. */
async function grantUsed(
  db: Reader,
  caller: SignedInActor,
  subject: ProjectSubject,
  { protections, others, deployment, represented_as }: Reviewed,
): Promise<NamedGrant | undefined> {
  const reviewer = await reviewerIn(db, caller, subject, protections, deployment);
  if ('problem' in reviewer) throw BadRequest.plain(reviewer.problem);
  const { own } = reviewer;
  if (!represented_as) return own.find((grant) => lackingOf(grant, others) > 0) ?? own[0];
  const named = own.find((grant) => describe(grant) === represented_as);
  if (named) return named;
  throw BadRequest.plain(
    'There are no approval rules for the given `represent_as` parameter. Use a valid User/Group/Role name instead.',
  );
}

async function follow(
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
    const freed = await updateDeployment(trx, deployment.id, { status: 'created', updated_at: Date.now() });
    await tell(services, trx, freed, deployment.status);
  }
}
