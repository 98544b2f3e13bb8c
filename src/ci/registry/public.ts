export { sendStored } from './distribution/blobs.ts';
export { accepts, largestManifest, readManifest } from './distribution/manifest-content.ts';
export { readReference, sendManifest } from './distribution/manifests.ts';
export { isRepositoryName, routeRegistryUrl } from './distribution/names.ts';
export { speakProtocol } from './distribution/protocol.ts';
export { RegistryRefusal } from './distribution/refusal.ts';
export type { NamesElsewhere } from './distribution/rights.ts';
export { bearerOf, challenge } from './distribution/sign-in.ts';
export { checkDigest } from './distribution/uploads.ts';
