export { bindDeploy, deployKeyActor, deployTokenActor } from './actors.ts';
