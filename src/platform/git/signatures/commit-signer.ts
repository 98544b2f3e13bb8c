import ssh2 from 'ssh2';
import { StartRefused } from '../../machine.ts';
import { sshKeyFile } from '../../secrets/ssh-key-file.ts';
import { bytesToSign } from './ssh.ts';
import { parseSshKey, type SshPublicKey } from './ssh-key.ts';
import { sshString } from './ssh-wire.ts';

const privateKeys = /-----BEGIN OPENSSH PRIVATE KEY-----[^-]+-----END OPENSSH PRIVATE KEY-----/g;
const form = { namespace: 'git', reserved: Buffer.alloc(0), hash: 'sha512' } as const;

/** The keys of the server: the first signs what it commits itself, and all of them are known as its own. */
export class CommitSigner {
  readonly publicKeys: readonly SshPublicKey[];
  readonly #key: ssh2.ParsedKey;
  readonly #blob: Buffer;

  constructor(keys: readonly [ssh2.ParsedKey, ...ssh2.ParsedKey[]]) {
    [this.#key] = keys;
    this.#blob = this.#key.getPublicSSH();
    this.publicKeys = keys.flatMap((key) => parseSshKey(key.getPublicSSH()) ?? []);
  }

  /** The signature of some bytes, as `ssh-keygen -Y sign -n git` makes it. */
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

/** Opens the keys in a file, which gets one where it is not there. */
export async function openCommitSigner(path: string): Promise<CommitSigner> {
  const text = await sshKeyFile(path, () => ssh2.utils.generateKeyPairSync('ed25519').private).catch(
    (error: unknown) => {
      throw new StartRefused(`the key that signs commits cannot be opened: ${(error as Error).message}`);
    },
  );
  const [first, ...others] = (text.match(privateKeys) ?? []).map(readKey);
  if (!first) throw new StartRefused(`${path} holds no private key in the format of OpenSSH`);
  return new CommitSigner([first, ...others]);
}

/** Ed25519 alone: what it makes of a commit is always the same, so that a merge tried twice is one commit. */
function readKey(written: string): ssh2.ParsedKey {
  const key = ssh2.utils.parseKey(written);
  if (key instanceof Error) throw new StartRefused(`a key that signs commits cannot be read: ${key.message}`);
  if (key.type !== 'ssh-ed25519') throw new StartRefused(`commits are signed by Ed25519 keys, not by ${key.type}`);
  return key;
}
