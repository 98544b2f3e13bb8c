export { parseSshKey, type SshKey } from './ssh-key.ts';
export { readSshKey } from './ssh-key-rules.ts';
export { deleteSshKey, findBySha256, findSshKey, insertSshKey } from './store.ts';
export type { KeyUsage, NewSshKey, SshKeyRow } from './tables.ts';
