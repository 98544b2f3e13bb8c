import Type from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { Job } from '../jobs/public.ts';
import { artifactFormats, artifactTypes } from './types.ts';

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
const job_token = param.string({ description: 'CI/CD job token of this project, or of a project on its allowlist' });

export const ofProject = project;
export const ofJob = { ...project, job_id: required(param.integer()) };
export const readingOfJob = { ...ofJob, job_token };
export const fileOfJob = {
  ...readingOfJob,
  '*': required(param.string({ description: 'Path of the file in the archive' })),
};
export const tree = {
  ...readingOfJob,
  path: withDefault(param.string({ description: 'Folder in the archive; defaults to the root' }), ''),
  recursive: withDefault(param.boolean(), false),
};

const byName = {
  ...project,
  job: required(param.string({ description: 'Name of the job' })),
  job_token,
  search_recent_successful_pipelines: withDefault(param.boolean(), false),
};
export const ofRef = { ...byName, ref_name: required(param.string({ description: 'Branch or tag name' })) };
export const fileOfRef = { ...ofRef, '*': required(param.string({ description: 'Path of the file in the archive' })) };
export const ofSlashedRef = {
  ...byName,
  '*': required(param.string({ description: 'Ref name with slashes, followed by `/download` or `/raw/` and a path' })),
};

const byJobId = { id: required(param.integer({ description: 'ID of the job' })) };
export const description = {
  artifact_type: withDefault(param.oneOf(artifactTypes), 'archive'),
  artifact_format: withDefault(param.oneOf(artifactFormats), 'zip' as const),
  expire_in: param.string(),
};
export const upload = {
  ...byJobId,
  ...description,
  accessibility: param.string({ description: 'Ignored: the job configuration decides' }),
};
export const authorization = {
  ...byJobId,
  artifact_type: withDefault(param.oneOf(artifactTypes), 'archive'),
  filesize: param.integer(),
};
export const download = {
  ...byJobId,
  direct_download: param.boolean({ description: 'Ignored: downloads are never redirected' }),
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
