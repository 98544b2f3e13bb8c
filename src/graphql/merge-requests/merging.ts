import type { Part, Resolve } from '../engine/part.ts';
import { isSquashFixed, projectById } from '../projects/projects.ts';
import { approvalsOf } from './merge-requests.ts';

/** Resolves a default commit message, which is read separately because it depends on every commit. */
const message =
  (name: 'merge_commit_message' | 'squash_commit_message'): Resolve =>
  async ({ project_id, iid }, _args, context) =>
    (await context.read(`/projects/${project_id}/merge_requests/${iid}/default_messages`))?.[name] ?? null;

const approvals =
  (name: 'approvals_left' | 'approvals_required'): Resolve =>
  async (request, _args, context) =>
    (await approvalsOf(request, context))?.[name] ?? null;

/** Fields needed for merging. */
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
      squashReadOnly: async ({ target_project_id }, _args, context) => {
        const project = await projectById(context, target_project_id);
        return project !== null && isSquashFixed(project);
      },
    },
  },
};
