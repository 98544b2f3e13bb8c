import { importedRequests } from '../../../review/merge-requests/public.ts';
import { importedTime, importIssue, labelIdsOf } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { pagesOf } from '../api.ts';
import { type HostaIssue, lists } from '../records.ts';
import { contextOf, type HostaContext } from './context.ts';

/** Imports issues. The list includes pull requests, whose labels are only returned here. */
export async function importIssues(run: ImportRun): Promise<void> {
  const context = contextOf(run);
  const { client, base, options } = context;
  const first = `${base}/issues?state=all&sort=created&direction=asc&per_page=${options.perPage}`;
  for await (const issues of pagesOf(run, client, lists.issues, 'issues', first)) {
    for (const issue of issues) {
      if (issue.pull_request === undefined || issue.pull_request === null) await importOne(run, context, issue);
      else await labelRequest(run, issue);
    }
  }
}

const titlesOf = ({ labels }: HostaIssue) =>
  (labels ?? []).map((label) => (typeof label === 'string' ? label : label.name));

async function importOne(run: ImportRun, { text, idOf }: HostaContext, issue: HostaIssue): Promise<void> {
  const assigneeIds = [];
  for (const assignee of issue.assignees ?? []) assigneeIds.push(await idOf(assignee));
  const updatedAt = importedTime(issue.updated_at);
  await importIssue(run, {
    number: issue.number,
    title: issue.title,
    description: text(issue.body),
    authorId: await idOf(issue.user),
    assigneeIds,
    labelIds: await labelIdsOf(run, titlesOf(issue)),
    milestoneId: issue.milestone ? ((await run.targetOf('milestone', issue.milestone.number)) ?? null) : null,
    closedAt: issue.state === 'open' ? null : issue.closed_at ? importedTime(issue.closed_at) : updatedAt,
    createdAt: importedTime(issue.created_at),
    updatedAt,
  });
}

async function labelRequest(run: ImportRun, issue: HostaIssue): Promise<void> {
  const id = await run.targetOf('pull_request', issue.number);
  const labelIds = await labelIdsOf(run, titlesOf(issue));
  if (id === undefined || labelIds.length === 0) return;
  await run.services.db.write((trx) => importedRequests.labelImportedRequest(trx, id, labelIds));
}
