import Type, { type Static } from 'typebox';
import { commit } from '../../../code/commits/public.ts';
import { BasicUser } from '../../../people/users/public.ts';
import { param, type Rule, required, withDefault } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';

export const CommitComment = entity('CommitComment', {
  note: Type.String(),
  path: nullable(Type.String()),
  line: nullable(Type.Integer()),
  line_type: nullable(Type.String()),
  author: nullable(BasicUser),
  created_at: timestamp(),
});
export type CommitCommentEntity = Static<typeof CommitComment>;

export const comment = {
  ...commit,
  note: required(param.string()),
  path: param.string(),
  line: param.integer(),
  line_type: withDefault(param.oneOf(['new', 'old']), 'new' as const),
};
/** A path requires a line. */
export const commentRule: Rule = ({ path, line }) =>
  path !== undefined && path !== null && line === undefined ? 'line is missing' : undefined;
