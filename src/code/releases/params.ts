import { param, required } from '../../platform/http/params.ts';

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const releaseTagParams = { ...project, tag_name: required(param.string()) };
