export { checkBranchRegex, mirrorTargets, readMirrorUrl, requireMirrorAvailable } from './rules.ts';
export { HostKey, PublicKey } from './schema.ts';
export { type AuthMethod, authMethods } from './tables.ts';
export { branchFilter } from './update.ts';
