export { checkBranchRegex, mirrorTargets, readMirrorUrl } from './rules.ts';
export { branchFilter } from './update.ts';
