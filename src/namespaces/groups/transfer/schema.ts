import { param, required } from '../../../platform/http/params.ts';
import { owner } from '../schema.ts';

export const transfer = { ...owner, group_id: param.integer() };
export const transferLocations = { ...owner, search: param.string() };
export const projectToMove = { ...owner, project_id: required(param.string()) };
