import Type from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { Job } from '../jobs/public.ts';
import { artifactFormats, artifactTypes } from './types.ts';

const project = { id: required(param.string({ description: 'Number or URL-encoded path of the project' })) };
const job_token = param.string({ description: 'Token of a job, of this project or of one that is let in' });

export const ofProject = project;
export const ofJob = { ...project, job_id: required(param.integer()) };
export const readingOfJob = { ...ofJob, job_token };
export const fileOfJob = { ...readingOfJob, '*': required(param.string({ description: 'Path in the archive' })) };
export const tree = {
  ...readingOfJob,
  path: withDefault(param.string({ description: 'Folder; the root unless given' }), ''),
  recursive: withDefault(param.boolean(), false),
};

const byName = {
  ...project,
  job: required(param.string({ description: 'Name of the job' })),
  job_token,
  search_recent_successful_pipelines: withDefault(param.boolean(), false),
};
export const ofRef = { ...byName, ref_name: required(param.string({ description: 'Branch or tag' })) };
export const fileOfRef = { ...ofRef, '*': required(param.string({ description: 'Path in the archive' })) };
export const ofSlashedRef = {
  ...byName,
  '*': required(param.string({ description: 'Ref with slashes, and what follows' })),
};

const numbered = { id: required(param.integer({ description: 'Number of the job' })) };
export const upload = {
  ...numbered,
  artifact_type: withDefault(param.oneOf(artifactTypes), 'archive'),
  artifact_format: withDefault(param.oneOf(artifactFormats), 'zip' as const),
  expire_in: param.string(),
  accessibility: param.string({ description: 'Not heeded: the configuration of the job says it' }),
};
export const authorization = {
  ...numbered,
  artifact_type: withDefault(param.oneOf(artifactTypes), 'archive'),
  filesize: param.integer(),
};
export const download = {
  ...numbered,
  direct_download: param.boolean({ description: 'Not heeded: nothing is redirected' }),
};

export const ArtifactTreeEntry = entity('ArtifactTreeEntry', {
  name: Type.String(),
  path: Type.String(),
  type: Type.String(),
  size: Type.Optional(Type.Integer()),
  mode: Type.String(),
});
export const KeptJob = entity('JobWithKeptArtifacts', { ...Job.properties, download_url: nullable(Type.String()) });
export const Accepted = entity('Accepted', { message: Type.String() });
export const UploadLimits = entity('ArtifactUploadLimits', { MaximumSize: Type.Integer() });
