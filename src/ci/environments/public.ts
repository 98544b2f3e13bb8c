export { requireDeployment } from './deployments/changes.ts';
export { isOutdatedDeployment } from './outdated.ts';
export { Deployment, Environment } from './schema.ts';
export { environmentByName } from './store.ts';
export { type DeploymentRow, type EnvironmentRow, tiers } from './tables.ts';
