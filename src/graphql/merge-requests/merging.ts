import type { Entity } from '../../platform/http/in-process.ts';
import { defaultMessages } from '../../review/merge-requests/public.ts';
import type { Asking } from '../engine/asking.ts';
import type { Part, Resolve } from '../engine/part.ts';
import { projectById, squashIsFixed } from '../projects/projects.ts';
import { approvalsOf } from './merge-requests.ts';

type Messages = Awaited<ReturnType<typeof defaultMessages>>;

const known = new WeakMap<object, Promise<Messages>>();

/** What a merge would say. No answer of the API has it, since every commit is read for it: once for both messages. */
function messagesOf(request: Entity, asking: Asking): Promise<Messages> {
  const found = known.get(request) ?? workOut(request, asking);
  known.set(request, found);
  return found;
}

async function workOut({ id, project_id }: Entity, asking: Asking): Promise<Messages> {
  const { caller, services } = asking;
  const subject = await asking.project(project_id);
  if (!subject?.can('read_code') || !caller.user) return undefined;
  return defaultMessages(services, { ...caller, user: caller.user }, subject, id);
}

const approvals =
  (name: 'approvals_left' | 'approvals_required'): Resolve =>
  async (request, _given, asking) =>
    (await approvalsOf(request, asking))?.[name] ?? null;

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
      defaultMergeCommitMessage: async (request, _given, asking) => (await messagesOf(request, asking))?.merge ?? null,
      defaultSquashCommitMessage: async (request, _given, asking) =>
        (await messagesOf(request, asking))?.squash ?? null,
      squashReadOnly: async ({ target_project_id }, _given, asking) => {
        const project = await projectById(asking, target_project_id);
        return project !== null && squashIsFixed(project);
      },
    },
  },
};
