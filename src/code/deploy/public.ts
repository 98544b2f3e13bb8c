export { bindDeploy, deployKeyActor, deployTokenActor } from './service.ts';
