export { findGpgSigners } from './gpg/store.ts';
export { hasSigningKey } from './service.ts';
export { presentSshKey } from './ssh/present.ts';
export { parseSshKey, type SshPublicKey } from './ssh/public-key.ts';
export { readSshKey } from './ssh/rules.ts';
export { SshKey } from './ssh/schema.ts';
export { removeKey } from './ssh/service.ts';
export { deleteSshKey, findBySha256, insertSshKey, recordSshKeyUse, renameSshKey } from './ssh/store.ts';
export type { DeployKeyProject, SshKeyRow, UserKey } from './tables.ts';
