import Type from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

const ofPipeline = {
  id: required(param.string({ description: 'Number or URL-encoded path of the project' })),
  pipeline_id: required(param.integer()),
};

export const coverageOfFiles = {
  ...ofPipeline,
  paths: required(param.strings({ description: 'The files that are asked about, a hundred at most' })),
};
export const problemListing = {
  ...ofPipeline,
  paths: param.strings({ description: 'Those of these files alone, a hundred at most' }),
};

export const CoverageReport = entity('CoverageReport', {
  files: Type.Record(Type.String(), Type.Record(Type.String(), Type.Number()), {
    description: 'How often each line was reached, by path and number; lines that no test could reach are left out',
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
