export { requireDeployment } from './deployments/changes.ts';
export { isOutdatedDeployment } from './outdated.ts';
export { protect as protectEnvironment } from './protection/service.ts';
export { findProtection } from './protection/store.ts';
export { Deployment, Environment } from './schema.ts';
export { environmentByName } from './store.ts';
export { type DeploymentRow, type EnvironmentRow, tiers } from './tables.ts';
