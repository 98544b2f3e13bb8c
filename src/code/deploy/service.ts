export { bindDeploy, deployKeyActor, deployTokenActor } from './actors.ts';
export { linksOfKey } from './key-store.ts';
