export { sendStored } from './distribution/blobs.ts';
export { acceptsMediaType, maxManifestBytes, readManifest } from './distribution/manifest-content.ts';
export { readReference, sendManifest } from './distribution/manifests.ts';
export { isRepositoryName, routeRegistryUrl } from './distribution/names.ts';
export { useRegistryProtocol } from './distribution/protocol.ts';
export { RegistryRefusal } from './distribution/refusal.ts';
export type { NameResolver } from './distribution/rights.ts';
export { bearerOf, challenge } from './distribution/sign-in.ts';
export { checkDigest } from './distribution/uploads.ts';
