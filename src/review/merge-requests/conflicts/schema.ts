import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';
import { oneRequest } from '../schema.ts';

const sides = ['source', 'target'] as const;

export const resolve = {
  ...oneRequest,
  source_sha: required(param.string({ description: 'Head of the source branch that the conflicts were computed for' })),
  target_sha: required(param.string({ description: 'Head of the target branch that the conflicts were computed for' })),
  commit_message: param.string(),
  files: required(
    param.hashes({
      path: required(param.string()),
      take: param.oneOf(sides, {
        description: 'Side whose version of the file is used; the file is deleted if that side does not have it',
      }),
      choices: param.oneOrMoreOf([...sides, 'both'], {
        description: 'Side chosen for each conflict of the file, in order',
      }),
      content: param.string({ description: 'Resolved content of the file' }),
    }),
  ),
};
export type ResolveParams = Omit<ParamsOf<typeof resolve>, 'id'>;

const ConflictFile = Type.Object({
  path: Type.String(),
  in_source: Type.Boolean(),
  in_target: Type.Boolean(),
  /** Null for files that are binary, too long, or exist on one side only. */
  sections: nullable(
    Type.Array(
      Type.Object({
        conflict: Type.Boolean(),
        text: nullable(Type.String()),
        source: nullable(Type.String()),
        target: nullable(Type.String()),
      }),
    ),
  ),
});

export const Conflicts = entity('MergeRequestConflicts', {
  source_branch: Type.String(),
  target_branch: Type.String(),
  source_sha: Type.String(),
  target_sha: Type.String(),
  commit_message: Type.String(),
  files: Type.Array(ConflictFile),
});
export type ConflictsEntity = Static<typeof Conflicts>;
