import ssh2 from 'ssh2';
import { StartRefused } from '../../machine.ts';
import { sshKeyFile } from '../../secrets/ssh-key-file.ts';
import { bytesToSign } from './ssh.ts';
import { parseSshKey, type SshPublicKey } from './ssh-key.ts';
import { sshString } from './ssh-wire.ts';

const privateKeys = /-----BEGIN OPENSSH PRIVATE KEY-----[^-]+-----END OPENSSH PRIVATE KEY-----/g;
const form = { namespace: 'git', reserved: Buffer.alloc(0), hash: 'sha512' } as const;

/**
 * The signing keys of the server: the first one signs the commits created by the server, all are recognised as its own.
 */
export class CommitSigner {
  readonly publicKeys: readonly SshPublicKey[];
  readonly #key: ssh2.ParsedKey;
  readonly #blob: Buffer;

  constructor(keys: readonly [ssh2.ParsedKey, ...ssh2.ParsedKey[]]) {
    [this.#key] = keys;
    this.#blob = this.#key.getPublicSSH();
    this.publicKeys = keys.flatMap((key) => parseSshKey(key.getPublicSSH()) ?? []);
  }

  /** Signs bytes as `ssh-keygen -Y sign -n git` does. */
  readonly sign = (payload: Buffer): string => {
    const value = this.#key.sign(bytesToSign(payload, form));
    const version = Buffer.from([0, 0, 0, 1]);
    const fields = [this.#blob, form.namespace, form.reserved, form.hash];
    const signature = Buffer.concat([sshString(this.#key.type), sshString(value)]);
    const parts = [Buffer.from('SSHSIG'), version, ...fields.map(sshString), sshString(signature)];
    const lines =
      Buffer.concat(parts)
        .toString('base64')
        .match(/.{1,70}/g) ?? [];
    return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
  };

  isOwn(fingerprint: string): boolean {
    return this.publicKeys.some((key) => key.fingerprint === fingerprint);
  }
}

/** Opens the keys of a file; creates the file with a new key when it is missing. */
export async function openCommitSigner(path: string): Promise<CommitSigner> {
  const text = await sshKeyFile(path, () => ssh2.utils.generateKeyPairSync('ed25519').private).catch(
    (error: unknown) => {
      throw new StartRefused(`the commit signing key cannot be opened: ${(error as Error).message}`);
    },
  );
  const [first, ...others] = (text.match(privateKeys) ?? []).map(readKey);
  if (!first) throw new StartRefused(`${path} holds no private key in OpenSSH format`);
  return new CommitSigner([first, ...others]);
}

/** Accepts Ed25519 only: its signatures are deterministic, so that a retried merge produces the same commit. */
function readKey(written: string): ssh2.ParsedKey {
  const key = ssh2.utils.parseKey(written);
  if (key instanceof Error) throw new StartRefused(`a commit signing key cannot be read: ${key.message}`);
  if (key.type !== 'ssh-ed25519') throw new StartRefused(`commits are signed by Ed25519 keys, not by ${key.type}`);
  return key;
}
