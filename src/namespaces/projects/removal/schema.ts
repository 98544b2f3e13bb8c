import { type ParamsOf, param, withDefault } from '../../../platform/http/params.ts';
import { projectParam } from '../schema.ts';

export const removalParams = {
  ...projectParam,
  permanently_remove: withDefault(param.boolean(), false),
  full_path: param.string(),
};
export type RemovalParams = ParamsOf<typeof removalParams>;
