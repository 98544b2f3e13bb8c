import { visibilityNames } from '../../access/roles.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { type ParamsOf, param } from '../../platform/http/params.ts';

/** `POST /projects/:id/fork`. */
export const forkParams = {
  ...projectParam,
  namespace: param.string({ description: 'Deprecated: ID or path' }),
  namespace_id: param.integer(),
  namespace_path: param.string(),
  path: param.string(),
  name: param.string(),
  description: param.string(),
  visibility: param.oneOf(visibilityNames),
  mr_default_target_self: param.boolean(),
  branches: param.string({ description: 'Branch to fork; defaults to all branches' }),
};
export type ForkOptions = Omit<ParamsOf<typeof forkParams>, 'id'>;
