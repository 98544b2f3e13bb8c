export { removeOfRequest } from './deployments/removal.ts';
export { openSites } from './serving/app.ts';
