import {
  type ReferenceResolver,
  type ResolvedReference,
  referenceKey,
  referencePathPrefix,
} from '../../markdown/public.ts';
import { summariesOf } from '../../summary.ts';
import { mayRead } from '../access.ts';
import { assigneeIds } from '../store.ts';
import { issuesByIid, type ReferredIssue } from './store.ts';

/** Resolves `#1` and `group/project#1`; confidential issues stay plain text for users who may not read them. */
export const issueReferences: ReferenceResolver = {
  types: ['issue'],
  resolve: async (services, place, references) => {
    const { db } = services;
    const named = references.flatMap((reference) => {
      const subject = reference.type === 'issue' ? place.projectOf(reference) : undefined;
      return reference.type === 'issue' && subject?.can('read_issue') ? [{ reference, subject }] : [];
    });
    const found = new Map<string, ResolvedReference>();
    for (const [subject, all] of Map.groupBy(named, ({ subject }) => subject)) {
      const issues = await issuesByIid(
        db.read,
        subject.project.id,
        all.map(({ reference }) => reference.iid),
      );
      const summarized = new Set(all.flatMap(({ reference }) => (reference.summary ? reference.iid : [])));
      const looked = issues.filter(({ confidential, iid }) => confidential === 1 || summarized.has(iid));
      const assignees = await assigneeIds(
        db.read,
        looked.map(({ id }) => id),
      );
      const readable = issues.filter((issue) => mayRead(place.reader, subject, issue, assignees.get(issue.id) ?? []));
      const summaries = await summariesOf(
        services,
        readable
          .filter(({ iid }) => summarized.has(iid))
          .map((issue) => ({ ...issue, assigneeIds: assignees.get(issue.id) ?? [] })),
      );
      const byIid = new Map(readable.map((issue) => [issue.iid, issue]));
      const present = ({ id, iid, title, state, issue_type }: ReferredIssue): ResolvedReference => ({
        href: `${place.webPath(subject.fullPath)}/-/${issue_type === 'task' ? 'work_items' : 'issues'}/${iid}`,
        text: `${referencePathPrefix(place, subject)}#${iid}${state === 'closed' ? ' (closed)' : ''}`,
        title,
        ...(summaries.has(id) && { summary: summaries.get(id) ?? '' }),
        id,
        projectId: subject.project.id,
      });
      for (const { reference } of all) {
        const issue = byIid.get(reference.iid);
        if (issue) found.set(referenceKey(reference), present(issue));
      }
    }
    return found;
  },
};
