import Type, { type Static } from 'typebox';
import { discussions } from '../../../planning/notes/public.ts';
import { type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';
import { oneRequest } from '../schema.ts';

export const DraftNote = entity('DraftNote', {
  id: Type.Integer(),
  author_id: Type.Integer(),
  merge_request_id: Type.Integer(),
  resolve_discussion: Type.Boolean(),
  discussion_id: nullable(Type.String()),
  note: Type.String(),
  commit_id: nullable(Type.String()),
  line_code: nullable(Type.String()),
  position: Type.Unknown(),
});
export type DraftNoteEntity = Static<typeof DraftNote>;

const position = { position: param.hash(discussions.position) };

export const newDraft = {
  ...oneRequest,
  note: required(param.string()),
  in_reply_to_discussion_id: param.string(),
  commit_id: param.string(),
  resolve_discussion: param.boolean(),
  ...position,
};
export const oneDraft = { ...oneRequest, draft_note_id: required(param.integer()) };
/** A submitted review: an optional summary note and the reviewer's verdict. */
export const submitted = {
  ...oneRequest,
  note: param.string(),
  internal: param.boolean(),
  reviewer_state: param.oneOf(['reviewed', 'requested_changes']),
};
export const draftChange = { ...oneDraft, note: param.string(), ...position };

export type NewDraftParams = ParamsOf<typeof newDraft>;
export type SubmittedParams = Omit<ParamsOf<typeof submitted>, 'id'>;
export type DraftChangeParams = ParamsOf<typeof draftChange>;
