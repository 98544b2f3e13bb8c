import { param, required, withDefault } from '../../../platform/http/params.ts';
import { oneIssue } from '../schema.ts';

export const move = { ...oneIssue, to_project_id: required(param.integer()) };
export const clone = { ...move, with_notes: withDefault(param.boolean(), false) };
