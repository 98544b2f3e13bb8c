import type { Entity } from '../../platform/http/in-process.ts';
import type { ResolverContext } from '../engine/context.ts';
import { notAvailable } from '../engine/errors.ts';
import { mutation, mutationTypes } from '../engine/mutation.ts';
import type { Part } from '../engine/part.ts';
import { findByPath } from '../projects/projects.ts';

/** The merge request that a mutation identifies by project and iid. */
export async function requireMergeRequest(context: ResolverContext, { projectPath, iid }: Entity): Promise<Entity> {
  const project = /^\d{1,15}$/.test(iid) ? await findByPath(context, 'projects', projectPath) : null;
  const request = project && (await context.read(`/projects/${project.id}/merge_requests/${iid}`));
  if (!request) throw notAvailable();
  return request;
}

/** Updates a merge request; if the update is rejected, returns it unchanged. */
export async function sendMergeRequestUpdate(
  context: ResolverContext,
  request: Entity,
  change: Readonly<Record<string, unknown>>,
) {
  const path = `/projects/${request.project_id}/merge_requests/${request.iid}`;
  const { entity, errors } = await context.send('PUT', path, change);
  return { mergeRequest: entity ?? request, errors };
}

const mark = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i;

/** The title with or without the draft prefix. */
export function draftTitle(title: string, draft: boolean): string {
  let plain = title;
  while (mark.test(plain)) plain = plain.replace(mark, '');
  if (draft) return mark.test(title) ? title : `Draft: ${title}`;
  return plain;
}

/** The types of a mutation of a merge request. */
export const requestMutation = (name: string, input = '') =>
  mutationTypes(name, `iid: String! projectPath: ID! ${input}`, 'mergeRequest: MergeRequest');

export const mergeRequestMutations: Part = {
  types: `
    extend type Mutation { mergeRequestSetDraft(input: MergeRequestSetDraftInput!): MergeRequestSetDraftPayload }
    ${requestMutation('MergeRequestSetDraft', 'draft: Boolean!')}
  `,
  fields: {
    Mutation: {
      mergeRequestSetDraft: mutation(async (context, input) => {
        const request = await requireMergeRequest(context, input);
        return sendMergeRequestUpdate(context, request, { title: draftTitle(request.title, input.draft) });
      }),
    },
  },
};
