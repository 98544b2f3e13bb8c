export { judgeSignature } from './judge.ts';
