import { param, required } from '../../platform/http/params.ts';

/** Path parameter: a user id. */
export const numbered = { id: required(param.integer()) };
/** Path parameter: a user id or username. */
export const namedOrNumbered = { user_id: required(param.string({ description: 'ID or username' })) };
