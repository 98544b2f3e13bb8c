export { signatureJobs } from './jobs.ts';
export { judgeSignature } from './judge.ts';
