import Type from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

const ofPipeline = {
  id: required(param.string({ description: 'ID or URL-encoded path of the project' })),
  pipeline_id: required(param.integer()),
};

export const coverageOfFiles = {
  ...ofPipeline,
  paths: required(param.strings({ description: 'Paths of the files, up to 100' })),
};
export const problemListing = {
  ...ofPipeline,
  paths: param.strings({ description: 'Return only violations in these files, up to 100 paths' }),
};

export const CoverageReport = entity('CoverageReport', {
  files: Type.Record(Type.String(), Type.Record(Type.String(), Type.Number()), {
    description: 'Hits by file path and line number; lines without executable code are omitted',
  }),
  error: nullable(Type.String()),
});

export const CodeProblem = entity('CodeProblem', {
  path: Type.String(),
  line: Type.Integer(),
  severity: Type.String(),
  description: Type.String(),
  check_name: nullable(Type.String()),
  fingerprint: nullable(Type.String()),
});
