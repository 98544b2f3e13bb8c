export { bindDeploy, deployKeyActor, deployTokenActor } from './service.ts';
export { deployTokenForJobs } from './tokens/service.ts';
