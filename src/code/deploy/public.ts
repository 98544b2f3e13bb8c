export { bindDeploy, deployKeyActor, deployReachesGroup, deployTokenActor } from './service.ts';
export { deployTokenForJobs } from './tokens/service.ts';
