import { type ParamsOf, param } from '../../../platform/http/params.ts';
import { owner } from '../schema.ts';

export const deletion = { ...owner, permanently_remove: param.boolean(), full_path: param.string() };
export type DeletionParams = ParamsOf<typeof deletion>;
