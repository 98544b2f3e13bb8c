import type { SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { User } from '../../../access/tables.ts';
import { committerOf, projectUrl } from '../../../code/repository/public.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { issuesToClose, namedIssues } from '../closing/service.ts';
import { approvals, reviewers } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import type { MessageFacts } from './messages.ts';

/** Loads everything that commit message templates can refer to. */
export async function messageFacts(
  services: Services,
  merger: SignedInActor,
  subject: ProjectSubject,
  request: MergeRequestRow,
  commits: readonly Commit[],
): Promise<MessageFacts> {
  const { read } = services.db;
  const named = (user: User) => {
    const { name, email } = committerOf(services, user);
    return `${name} <${email}>`;
  };
  const people = async (ids: readonly number[]) => {
    const users = await Promise.all(ids.map((id) => findUser(read, id)));
    return users.flatMap((user) => (user ? [named(user)] : []));
  };
  const [author, reviewing, approving, issues] = await Promise.all([
    findUser(read, request.author_id),
    reviewers(read, [request.id]),
    approvals(read, [request.id]),
    issuesToClose(services, merger, subject, request, commits),
  ]);
  const written = commits.map(({ author: who }) => `${who.name} <${who.email}>`);
  const authorName = author ? named(author) : '';
  return {
    sourceBranch: request.source_branch,
    targetBranch: request.target_branch,
    title: request.title,
    description: request.description ?? '',
    issues: namedIssues(issues, subject.project.id),
    fullReference: `${subject.fullPath}!${request.iid}`,
    localReference: `!${request.iid}`,
    sourceProjectId: request.source_project_id,
    url: `${projectUrl(services, subject)}/-/merge_requests/${request.iid}`,
    commits: commits.filter(({ parents }) => parents.length < 2).map(({ message }) => message),
    reviewedBy: await people((reviewing.get(request.id) ?? []).map(({ user_id }) => user_id)),
    approvedBy: await people((approving.get(request.id) ?? []).map(({ user_id }) => user_id)),
    mergedBy: named(merger.user),
    author: authorName,
    coAuthors: [...new Set(written)].filter((name) => name !== authorName),
  };
}
