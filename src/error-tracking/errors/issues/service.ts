import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { projectUrl } from '../../../code/repository/public.ts';
import { changeIssue, createIssue, type IssueEntity, issuesById } from '../../../planning/issues/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { Conflict, Forbidden } from '../../../platform/http/errors.ts';
import { readEvent } from '../../events/public.ts';
import { presentError } from '../present.ts';
import * as store from '../store.ts';
import type { ErrorRow } from '../tables.ts';
import { describeError } from './description.ts';

const maxTitleLength = 255;

/** Creates an issue from an error, including its stack trace, and links it. */
export async function createIssueFrom(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  error: ErrorRow,
): Promise<IssueEntity> {
  const { db } = services;
  if (!subject.can('create_issue')) throw new Forbidden();
  if (error.issue_id !== null) throw new Conflict('The error has an issue already');
  const row = await store.latestEvent(db.read, error.id);
  const event = row && (await readEvent(services, row));
  const { external_url: url } = presentError(error, projectUrl(services, subject), []);
  const issue = await createIssue(services, caller, subject, {
    title: error.title.replace(/\s+/g, ' ').slice(0, maxTitleLength).toWellFormed(),
    description: describeError(error, url, event),
  });
  // If two issues are created concurrently, only the first is linked.
  await db.write((trx) => store.linkIssue(trx, error.id, issue.id));
  return issue;
}

/** URL of the issue linked to an error, if the caller can read it. */
export async function issueUrlOf(
  services: Services,
  subject: ProjectSubject,
  { issue_id }: ErrorRow,
): Promise<string | null> {
  if (issue_id === null || !subject.can('read_issue')) return null;
  const issue = (await issuesById(services.db.read, [issue_id])).get(issue_id);
  return issue ? `${projectUrl(services, subject)}/-/issues/${issue.iid}` : null;
}

/**
 * Closes the issue linked to a resolved error. Returns its IID, or null if it was already closed or the caller may not
 * close it.
 */
export async function closeIssueOf(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  { issue_id }: ErrorRow,
): Promise<number | null> {
  if (issue_id === null || !subject.can('admin_issue')) return null;
  const known = (await issuesById(trx, [issue_id])).get(issue_id);
  if (known?.state !== 'opened' || known.project_id !== subject.project.id) return null;
  const { issue } = await changeIssue(services, trx, caller, subject, issue_id, { state_event: 'close' });
  return issue.iid;
}
