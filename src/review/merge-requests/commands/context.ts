import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { basicUsers } from '../../../people/users/public.ts';
import { labelsById } from '../../../planning/labels/public.ts';
import { milestonesById } from '../../../planning/milestones/public.ts';
import { type Context, lookUp, type Right, type Wanted } from '../../../planning/quick-actions/public.ts';
import { hasPendingTodo } from '../../../planning/todos/public.ts';
import { mayUpdate } from '../access.ts';
import { isDraft } from '../changes/draft.ts';
import { targetOf } from '../changes/records.ts';
import { mayMerge } from '../detail.ts';
import { mayRebase } from '../merge/rebase.ts';
import { isSubscribed, type RequestState } from '../service.ts';

/** What of a merge request commands look at, and what the writer may do with it. */
export async function contextOf(
  services: Services,
  writer: SignedInActor,
  subject: ProjectSubject,
  state: RequestState,
  { comment }: { readonly comment: boolean },
  wanted: Required<Wanted>,
): Promise<Context> {
  const { read } = services.db;
  const { request, assigneeIds, reviewerIds, labelIds } = state;
  const [users, labels, milestones, found, subscribed, pendingTodo, merges, rebases] = await Promise.all([
    basicUsers(read, [...assigneeIds, ...reviewerIds], services.externalUrl),
    labelsById(read, labelIds),
    milestonesById(read, [request.milestone_id]),
    lookUp(services, writer, subject, wanted),
    isSubscribed(read, writer, state),
    hasPendingTodo(read, writer.user.id, targetOf(request)),
    mayMerge(services, writer, subject, request.target_branch),
    mayRebase(services, writer, request),
  ]);
  const updates = mayUpdate(writer, subject, request, assigneeIds);
  const admins = subject.can('admin_merge_request');
  const rights: Partial<Record<Right, boolean>> = {
    read: true,
    comment,
    award: comment,
    update: updates,
    set_metadata: admins,
    admin: admins,
    track_time: admins,
    merge: merges,
    push: rebases,
  };
  const now = new Date();
  const people = (ids: readonly number[]) => ids.flatMap((id) => users.get(id) ?? []);
  return {
    writer: { id: writer.user.id, username: writer.user.username },
    now,
    today: now.toISOString().slice(0, 10),
    hoursOnly: services.settings.latest().time_tracking_limit_to_hours,
    subject: {
      kind: 'merge_request',
      state: request.state,
      assignees: people(assigneeIds),
      reviewers: people(reviewerIds),
      labels,
      milestone: (request.milestone_id !== null && milestones.get(request.milestone_id)) || null,
      timeEstimate: request.time_estimate,
      totalTimeSpent: request.total_time_spent,
      discussionLocked: request.discussion_locked === 1,
      draft: isDraft(request.title),
      sourceBranch: request.source_branch,
      subscribed,
      pendingTodo,
    },
    can: (right) => rights[right] ?? false,
    found,
  };
}
