import type { Part, Resolve } from '../engine/part.ts';
import { projectById, squashIsFixed } from '../projects/projects.ts';
import { approvalsOf } from './merge-requests.ts';

/** What a merge would say. It is an answer of its own, since every commit is read for it. */
const message =
  (name: 'merge_commit_message' | 'squash_commit_message'): Resolve =>
  async ({ project_id, iid }, _given, context) =>
    (await context.read(`/projects/${project_id}/merge_requests/${iid}/default_messages`))?.[name] ?? null;

const approvals =
  (name: 'approvals_left' | 'approvals_required'): Resolve =>
  async (request, _given, context) =>
    (await approvalsOf(request, context))?.[name] ?? null;

/** What whoever merges a request has to know. */
export const merging: Part = {
  types: `
    extend type MergeRequest {
      approvalsLeft: Int
      approvalsRequired: Int
      defaultMergeCommitMessage: String
      defaultSquashCommitMessage: String
      squashReadOnly: Boolean!
    }
  `,
  fields: {
    MergeRequest: {
      approvalsLeft: approvals('approvals_left'),
      approvalsRequired: approvals('approvals_required'),
      defaultMergeCommitMessage: message('merge_commit_message'),
      defaultSquashCommitMessage: message('squash_commit_message'),
      squashReadOnly: async ({ target_project_id }, _given, context) => {
        const project = await projectById(context, target_project_id);
        return project !== null && squashIsFixed(project);
      },
    },
  },
};
