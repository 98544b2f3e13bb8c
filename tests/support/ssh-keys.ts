import ssh2 from 'ssh2';

/** A fresh pair of SSH keys. One in 256 that the library makes cannot be read again, by anybody: those are passed over. */
export function sshKeyPair(): ReturnType<typeof ssh2.utils.generateKeyPairSync> {
  const made = ssh2.utils.generateKeyPairSync('ed25519', { comment: 'test' });
  return ssh2.utils.parseKey(made.private) instanceof Error ? sshKeyPair() : made;
}
