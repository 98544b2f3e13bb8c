export { type Connection, connectionsOf, disconnect } from './connections.ts';
export { claimFlow, type Flow, readFlow, type SealedFlow } from './flow.ts';
export { addressOf, isUsableUid, type ProviderUser, textOf } from './person.ts';
export { enabledAmong, type OfferedProvider, offeredProviders, type SignInProvider } from './provider.ts';
export {
  completeSignIn,
  Declined,
  named,
  notStartedHere,
  ProviderFailed,
  type ProviderSignIn,
  redirectToProvider,
  translateFailures,
} from './sign-in.ts';
export { spend } from './store.ts';
