import { importedTime, importIssue, importMilestoneNamed, labelIdsOf } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { hostbPages } from '../api.ts';
import { lists } from '../records.ts';
import { contextOf } from './context.ts';

const closedStates = new Set(['resolved', 'invalid', 'duplicate', 'wontfix', 'closed']);

export async function importIssues(run: ImportRun): Promise<void> {
  const { options, client, place, idOf, text } = await contextOf(run);
  if (!options.hasIssues) return;
  const first = `${place}/issues?sort=created_on&pagelen=50`;
  for await (const issues of hostbPages(run, client, lists.issues, first, 'issues')) {
    for (const issue of issues) {
      const createdAt = importedTime(issue.created_on);
      const updatedAt = importedTime(issue.edited_on ?? issue.updated_on ?? issue.created_on);
      const authorId = await idOf(issue.reporter);
      const milestone = issue.milestone?.name;
      await importIssue(run, {
        number: issue.id,
        title: issue.title,
        description: await text(issue.content?.raw, issue.reporter),
        authorId,
        assigneeIds: [authorId],
        labelIds: await labelIdsOf(run, issue.kind ? [issue.kind] : []),
        milestoneId: milestone ? await importMilestoneNamed(run, milestone, createdAt) : null,
        closedAt: closedStates.has(issue.state) ? updatedAt : null,
        createdAt,
        updatedAt,
      });
    }
  }
}
