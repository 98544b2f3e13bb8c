import { param, required } from '../../platform/http/params.ts';

const job = { id: required(param.integer({ description: 'Number of the job' })) };

export const report = {
  ...job,
  token: param.string({ description: 'Token of the job; the header `JOB-TOKEN` does as well' }),
  state: param.string({ description: '`running`, `success` or `failed`' }),
  failure_reason: param.string(),
  exit_code: param.integer(),
  checksum: param.string({ description: 'Deprecated: see `output`' }),
  output: param.hash({ checksum: param.string(), bytesize: param.integer() }),
  info: param.any(),
};

export const patch = { ...job, debug_trace: param.boolean() };
