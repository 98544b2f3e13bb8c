import { param, required } from '../../platform/http/params.ts';

/** A user by number. */
export const numbered = { id: required(param.integer()) };
/** A user by number or name. */
export const namedOrNumbered = { user_id: required(param.string({ description: 'Number or user name' })) };
