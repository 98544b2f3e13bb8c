import { availableParallelism } from 'node:os';
import type { Repository } from '../repository.ts';

/** Git configuration; a list is a key with several values. */
export type GitConfig = Readonly<Record<string, string | readonly string[]>>;

const packThreads = String(Math.max(1, Math.floor(Math.log2(availableParallelism()))));

// fsck checks that old but harmless histories fail: enforcing them would make existing repositories impossible to push.
const LEGACY_CHECKS = ['badTimezone', 'missingSpaceBeforeDate', 'zeroPaddedFilemode'];

/** The flag that makes `index-pack` check objects as strictly as a push does. */
export const STRICT_FLAG = `--strict=${LEGACY_CHECKS.map((id) => `${id}=ignore`).join(',')}`;

/** Ref namespaces that clients never see. */
export const HIDDEN_REFS = ['refs/keep-around', 'refs/remotes', 'refs/tmp'] as const;

/** Ref namespaces that clients may fetch but only the server may write. */
export const SERVER_REFS = ['refs/merge-requests', 'refs/pipelines', 'refs/environments'] as const;

const EVERYWHERE: GitConfig = {
  'core.fsync': 'objects,derived-metadata,reference',
  'core.fsyncMethod': 'fsync',
  'core.hooksPath': '/dev/null',
  'core.useReplaceRefs': 'false',
  'core.alternateRefsCommand': 'exit 0 #',
  'core.attributesFile': '/dev/null',
  'core.bigFileThreshold': '50m',
  'core.packedRefsTimeout': '10000',
  'core.filesRefLockTimeout': '1000',
  'core.logAllRefUpdates': 'false',
  'core.quotePath': 'false',
  'core.pager': 'cat',
  'credential.helper': '',
  'gc.auto': '0',
  'maintenance.auto': '0',
  // A bare repository reads HEAD:.mailmap by default: content under a pusher's control would rewrite identities.
  'mailmap.blob': '',
  'pack.threads': packThreads,
  'pack.windowMemory': '100m',
  'pack.writeReverseIndex': 'true',
  'protocol.allow': 'never',
  'http.followRedirects': 'false',
};

const TRANSPORT: GitConfig = {
  'transfer.fsckObjects': 'true',
  ...Object.fromEntries(
    LEGACY_CHECKS.flatMap((id) => [
      [`receive.fsck.${id}`, 'ignore'],
      [`fetch.fsck.${id}`, 'ignore'],
    ]),
  ),
  // Loose objects cost a millisecond each to sync; a pack costs two or three in all, and repacking later.
  'transfer.unpackLimit': '20',
  'transfer.hideRefs': HIDDEN_REFS,
  'receive.hideRefs': SERVER_REFS,
  'receive.autogc': 'false',
  'receive.advertisePushOptions': 'true',
  'receive.advertiseAtomic': 'true',
  'uploadpack.allowFilter': 'true',
  'uploadpack.allowAnySHA1InWant': 'true',
};

/** The scrubbed environment of a git process: of the server's own environment, only PATH is passed on. */
export function gitEnvironment(
  repo: Repository,
  settings: { transport: boolean; config?: GitConfig; env?: Readonly<Record<string, string>>; literalPaths: boolean },
): Record<string, string> {
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_DIR: repo.path,
  };
  if (settings.literalPaths) env.GIT_LITERAL_PATHSPECS = '1';
  if (repo.quarantine) {
    env.GIT_OBJECT_DIRECTORY = repo.quarantine.objectDirectory;
    env.GIT_ALTERNATE_OBJECT_DIRECTORIES = repo.quarantine.alternates;
    env.GIT_QUARANTINE_PATH = repo.quarantine.objectDirectory;
  }
  const config = {
    ...EVERYWHERE,
    ...(settings.transport ? TRANSPORT : {}),
    'safe.directory': repo.path,
    ...settings.config,
  };
  return Object.assign(env, configVariables(config), settings.env);
}

function configVariables(config: GitConfig): Record<string, string> {
  const env: Record<string, string> = {};
  let count = 0;
  for (const [key, values] of Object.entries(config)) {
    for (const value of typeof values === 'string' ? [values] : values) {
      env[`GIT_CONFIG_KEY_${count}`] = key;
      env[`GIT_CONFIG_VALUE_${count}`] = value;
      count++;
    }
  }
  env.GIT_CONFIG_COUNT = String(count);
  return env;
}
