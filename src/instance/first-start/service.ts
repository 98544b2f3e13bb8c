import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../access/services.ts';
import { findTokenByDigest, insertToken } from '../../people/tokens/public.ts';
import { blankAccount, insertUser } from '../../people/users/public.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import { digest, randomToken } from '../../platform/secrets/tokens.ts';
import { findFirstAdministrator, isEmpty } from './store.ts';

/** Result of the first start, reported to the operator. */
export interface FirstStart {
  readonly created: boolean;
  /** Path of the file with the generated password, if one was generated. */
  readonly passwordFile?: string;
}

/** Creates the administrator `root` in an empty database, and the token from the settings, if any. */
export async function firstStart(services: Services, host: string): Promise<FirstStart> {
  const { db, config } = services;
  const result = (await isEmpty(db.read)) ? await createRoot(services, host) : { created: false };
  if (config.rootToken) await ensureToken(services, config.rootToken);
  return result;
}

/** Several servers may start on one database concurrently: the first one creates what the others find. */
const lockName = 'first start';

async function createRoot(services: Services, host: string): Promise<FirstStart> {
  const { db, config, passwords } = services;
  const password = config.rootPassword ?? randomToken(24);
  const passwordFile = join(config.data, 'root-password');
  const password_digest = await passwords.hash(password);
  const created = await db.write(async (trx) => {
    await acquireLock(trx, lockName);
    if (!(await isEmpty(trx))) return false;
    // The file is written before the row: a crash in between leaves an unused password rather than an inaccessible
    // account.
    if (!config.rootPassword) await writePrivately(passwordFile, `${password}\n`);
    await insertUser(services, trx, {
      ...blankAccount,
      username: 'root',
      name: 'Administrator',
      email: `admin@${host}`,
      admin: 1,
      password_digest,
      confirmed_at: Date.now(),
    });
    return true;
  });
  return created && !config.rootPassword ? { created, passwordFile } : { created };
}

async function writePrivately(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function ensureToken(services: Services, plain: string): Promise<void> {
  const known = digest(plain);
  await services.db.write(async (trx) => {
    await acquireLock(trx, lockName);
    if (await findTokenByDigest(trx, known)) return;
    const root = await findFirstAdministrator(trx);
    if (!root) return;
    await insertToken(services, trx, {
      userId: root.id,
      name: 'HEARTH_ROOT_TOKEN',
      digest: known,
      scopes: ['api', 'sudo'],
      expiresAt: null,
    });
  });
}
