export { type Connection, connectionsOf, disconnect } from './connections.ts';
export type { SealedFlow } from './flow.ts';
export { offeredProviders } from './provider.ts';
export { handleCallback, redirectToProvider } from './sign-in.ts';
