export { bindDeployCredential, deployKeyActor, deployTokenActor, deployTokenCoversGroup } from './service.ts';
export { deployTokenForJobs } from './tokens/service.ts';
