import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';

export const Suggestion = entity('Suggestion', {
  id: Type.Integer(),
  from_line: Type.Integer(),
  to_line: Type.Integer(),
  appliable: Type.Boolean(),
  applied: Type.Boolean(),
  from_content: Type.String(),
  to_content: Type.String(),
});
export type SuggestionEntity = Static<typeof Suggestion>;

export const applyOne = { id: required(param.integer()), commit_message: param.string() };
export const applyMany = { ids: required(param.integers()), commit_message: param.string() };
