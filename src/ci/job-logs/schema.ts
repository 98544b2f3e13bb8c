import { param, required } from '../../platform/http/params.ts';

const job = { id: required(param.integer({ description: 'ID of the job' })) };

export const report = {
  ...job,
  token: param.string({ description: 'Job token; alternatively sent in the `JOB-TOKEN` header' }),
  state: param.string({ description: '`running`, `success` or `failed`' }),
  failure_reason: param.string(),
  exit_code: param.integer(),
  checksum: param.string({ description: 'Deprecated: use `output.checksum`' }),
  output: param.hash({ checksum: param.string(), bytesize: param.integer() }),
  info: param.any(),
};

export const patch = { ...job, debug_trace: param.boolean() };
