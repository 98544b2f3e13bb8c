import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { oneRequest } from '../schema.ts';
import { publishDraft } from './publish.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { submitReview } from './submit.ts';

const tag = 'draft_notes';

/** Routes for draft notes, which are notes of a review before it is published. */
export function draftNoteRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('read_project', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/draft_notes',
      tag,
      summary: 'List draft notes of a merge request',
      gate,
      params: oneRequest,
      paginated: true,
      responses: { 200: Type.Array(schema.DraftNote) },
      handle: ({ caller, subject, params, page }) =>
        service.listDrafts(services, caller, subject, params.merge_request_iid, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/draft_notes',
      tag,
      summary: 'Create a draft note of a merge request',
      gate,
      params: schema.newDraft,
      responses: { 201: schema.DraftNote },
      handle: ({ caller, subject, params }) => service.createDraft(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/merge_requests/:merge_request_iid/draft_notes/bulk_publish',
      tag,
      summary: 'Publish all draft notes of a merge request',
      gate,
      params: schema.submitted,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => submitReview(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id',
      tag,
      summary: 'Get a draft note of a merge request',
      gate,
      params: schema.oneDraft,
      responses: { 200: schema.DraftNote },
      handle: ({ caller, subject, params }) => service.getDraft(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id',
      tag,
      summary: 'Update a draft note of a merge request',
      gate,
      params: schema.draftChange,
      responses: { 200: schema.DraftNote },
      handle: ({ caller, subject, params }) => service.updateDraft(services, caller, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id',
      tag,
      summary: 'Delete a draft note of a merge request',
      gate,
      params: schema.oneDraft,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.deleteDraft(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id/publish',
      tag,
      summary: 'Publish a draft note of a merge request',
      gate,
      params: schema.oneDraft,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => publishDraft(services, caller, subject, params),
    }),
  ];
}
