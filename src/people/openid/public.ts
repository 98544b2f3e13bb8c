export { type Connection, connectionsOf, disconnect } from './connections.ts';
export type { KeptFlow } from './flow.ts';
export { offeredProviders } from './provider.ts';
export { arrive, depart } from './sign-in.ts';
