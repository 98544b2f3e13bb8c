import { actorOnBehalfOf } from '../../../access/actor.ts';
import { accountRefusal } from '../../../access/credentials/account-state.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { projectSubject, settingsOf } from '../../../access/subjects.ts';
import { createBranch } from '../../../code/branches/public.ts';
import { defaultBranch, encodePath, projectUrl } from '../../../code/repository/public.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { type IssueRow, issuesById, issueTarget, type RequestOpener } from '../../../planning/issues/public.ts';
import { addSystemNote } from '../../../planning/notes/public.ts';
import { lockTarget } from '../../../planning/target.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { openRequest } from '../changes/create.ts';
import { branchFor } from './branch.ts';

interface Wish {
  readonly issueId: number;
  readonly userId: number;
  readonly branch: string | null;
}

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A user requested a branch and a merge request for an issue. */
    'merge-requests.for-issue': Wish;
  }
}

/** Implements `/create_merge_request`, which is executed after the note has been stored. */
export const requestOpener: RequestOpener = {
  may: (subject) => subject.can('push_code') && subject.can('create_merge_request_in'),
  open: async ({ queue }, trx, { issue, userId, branch = null }) => {
    await queue.enqueue(trx, 'merge-requests.for-issue', { issueId: issue.id, userId, branch });
  },
};

async function noteOn({ db }: Services, issue: IssueRow, userId: number, text: string): Promise<void> {
  const target = issueTarget(issue);
  await db.write(async (trx) => {
    if (await lockTarget(trx, target)) await addSystemNote(trx, target, userId, text);
  });
}

/** Creates the branch and the merge request with the permissions of the requesting user. */
export async function openForIssue(services: Services, { issueId, userId, branch: wanted }: Wish): Promise<void> {
  const { db } = services;
  const issue = (await issuesById(db.read, [issueId])).get(issueId);
  const [user, project] = await Promise.all([findUser(db.read, userId), findProject(db.read, issue?.project_id ?? 0)]);
  if (!issue || !user || !project || accountRefusal(user, services.externalUrl) !== undefined) return;
  const caller = actorOnBehalfOf(user);
  const subject = await projectSubject(db.read, caller, project);
  const { issue_branch_template: template } = settingsOf(project);
  const branch = wanted ?? branchFor(issue, typeof template === 'string' ? template : null);
  const target = defaultBranch(subject);
  try {
    await createBranch(services, caller, subject, { branch, ref: target });
    const url = `${projectUrl(services, subject)}/-/tree/${encodePath(branch)}`;
    const text = `created branch [\`${branch}\`](${url}) to address this issue`;
    await noteOn(services, issue, userId, text);
  } catch (error) {
    // An existing branch is used, including one created by an earlier attempt of this job.
    logRefusal(services, error, { issueId, branch });
  }
  try {
    const title = issue.confidential === 1 ? 'Draft: Resolve a confidential issue' : `Draft: Resolve "${issue.title}"`;
    const params = { source_branch: branch, target_branch: target, title: title.slice(0, 255) };
    const { state } = await openRequest(services, caller, subject, { ...params, description: `Closes #${issue.iid}` });
    const text = `created merge request !${state.request.iid} to address this issue`;
    await noteOn(services, issue, userId, text);
  } catch (error) {
    // The user lacks permission, or the merge request already exists.
    logRefusal(services, error, { issueId, branch });
  }
}

function logRefusal({ log }: Services, error: unknown, about: { issueId: number; branch: string }): void {
  if (!(error instanceof HttpError) || error.status >= 500) throw error;
  log.info({ ...about, reason: error.message }, 'could not create the merge request for an issue');
}
