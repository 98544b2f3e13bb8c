export { signatureJobs } from './jobs.ts';
export { judgeSignature } from './judge.ts';
export { readSigned } from './read.ts';
