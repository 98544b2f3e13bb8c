export { SshKey } from './schema.ts';
export { findGpgSigners } from './signers.ts';
export { presentSshKey } from './ssh.ts';
export { parseSshKey, type SshPublicKey } from './ssh-key.ts';
export { readSshKey } from './ssh-key-rules.ts';
export { findBySha256, insertSshKey } from './store.ts';
export type { SshKeyRow, VerifiedSignatureRow } from './tables.ts';
export { findVerified, hasSigningKey, rememberVerified } from './verified.ts';
