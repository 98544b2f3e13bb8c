import { join } from 'node:path';
import { allowedDestinations } from './access/application-settings/effective.ts';
import { InstanceSettings } from './access/application-settings/source.ts';
import type { Area } from './access/area.ts';
import type { Services } from './access/services.ts';
import { areas as allAreas } from './areas.ts';
import type { Config } from './config/config.ts';
import { type FirstStart, firstStart, refuseLostData } from './instance/first-start/public.ts';
import { migrations } from './migrations/list.ts';
import { type Database, type DatabaseOptions, openDatabase } from './platform/database/database.ts';
import { migrate } from './platform/database/migrator.ts';
import { createDirectory, type Directory } from './platform/directory/directory.ts';
import { createAnnounce, createContributions } from './platform/domain-events.ts';
import { createEgress } from './platform/egress/client.ts';
import { createGit } from './platform/git/git.ts';
import type { CommitSigner } from './platform/git/signatures/commit-signer.ts';
import { RateLimits } from './platform/http/server/rate-limits.ts';
import { createLogger, type Logger } from './platform/log.ts';
import { prepareDataDirectory, StartRefused } from './platform/machine.ts';
import { createQueue } from './platform/queue/queue.ts';
import { openEncryption } from './platform/secrets/encryption.ts';
import { createPasswords, type Passwords } from './platform/secrets/password.ts';
import { createLocalSignals } from './platform/signals/local.ts';
import type { SignalFailure, Signals } from './platform/signals/signals.ts';
import { openLocalStorage } from './platform/storage/local.ts';
import type { Storage } from './platform/storage/storage.ts';
import { defineUnclaimedRemoval } from './platform/storage/unclaimed.ts';
import { trimTrailing } from './platform/trim.ts';

/** The location of the configured database. */
export function databaseOptions(config: Config): DatabaseOptions {
  return config.databaseUrl ? { url: config.databaseUrl } : { file: join(config.data, 'hearth.db') };
}

/** Opens and migrates the configured database; `applied` lists the migrations that ran. */
export async function openMigrated(config: Config): Promise<{ db: Database; applied: string[] }> {
  await prepareDataDirectory(config.data);
  const db = await openDatabase(databaseOptions(config));
  return closeOnFailure(db, async () => ({ db, ...(await migrate(db, migrations)) }));
}

/** The base URL for links of a server on this port. */
export function addressOf(config: Config, port: number): string {
  if (config.url) return trimTrailing(config.url, '/');
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  const named = host.includes(':') ? `[${host}]` : host;
  // Git and browsers omit the default port and compare URLs as text.
  return port === 80 ? `http://${named}` : `http://${named}:${port}`;
}

/** Opens all services that areas receive. */
export async function openServices(
  config: Config,
  externalUrl: string,
  log: Logger,
  areas: readonly Area[] = allAreas,
  passwords: Passwords = createPasswords(),
): Promise<Services> {
  const { db } = await openMigrated(config);
  const failed = (text: string) => (error: unknown, job?: unknown) => log.error({ err: error, job }, text);
  return closeOnFailure(db, async () => {
    await refuseLostData(db.read, config.data);
    const settings = new InstanceSettings(db, config);
    const egress = createEgress({
      allowLocal: config.allowLocalEgress,
      allowList: config.egressAllow,
      current: async (sender) => allowedDestinations(await settings.read(), sender),
    });
    const [storage, encryption, signer] = await Promise.all([
      openStorage(config),
      openEncryption(join(config.data, 'secret-keys')),
      openSigner(config),
    ]);
    const signals = await openSignals(config, failed('a signal was lost'));
    settings.follow(signals);
    const services: Services = {
      config,
      externalUrl,
      db,
      signals,
      queue: createQueue({ db, signals, onFailure: failed('a background job failed') }),
      egress,
      directories: openDirectories(config),
      git: createGit({
        root: join(config.data, 'repositories'),
        processes: config.gitProcesses,
        memory: config.gitMemory,
        packs: { folder: join(config.data, 'tmp', 'packs'), budget: Math.floor(config.packCache / config.workers) },
        ...(signer && { signer }),
      }),
      storage,
      encryption,
      passwords,
      settings,
      limits: new RateLimits(),
      log,
      announce: createAnnounce(areas, () => services),
      contributions: createContributions(areas),
    };
    defineUnclaimedRemoval(services);
    return services;
  });
}

/** Lets running jobs finish, then closes everything. */
export async function closeServices({ queue, signals, egress, git, db }: Services): Promise<void> {
  await queue.stop();
  await signals.close();
  await egress.close();
  git.close();
  await db.close();
}

/**
 * Runs work with all services but without the HTTP server, for commands that access the data directly, possibly next to
 * a running server.
 */
export async function withServices<T>(
  config: Config,
  work: (services: Services, first: FirstStart) => Promise<T>,
): Promise<T> {
  const externalUrl = addressOf(config, config.port);
  const services = await openServices(config, externalUrl, createLogger(config));
  try {
    return await work(services, await firstStart(services, new URL(externalUrl).hostname));
  } finally {
    await closeServices(services);
  }
}

function openDirectories(config: Config): Directory[] {
  return [config, ...(config.ldapDirectories?.entries ?? [])].flatMap((one) => {
    if (one.ldapUrl === undefined) return [];
    const opened = createDirectory({
      provider: one.ldapProvider,
      url: one.ldapUrl,
      startTls: one.ldapStartTls,
      ca: one.ldapCa,
      bindDn: one.ldapBindDn,
      password: one.ldapPassword,
      base: one.ldapBase,
      uid: one.ldapUid,
      userFilter: one.ldapUserFilter,
      groupBase: one.ldapGroupBase,
      adminGroup: one.ldapAdminGroup,
      externalGroups: one.ldapExternalGroups,
      activeDirectory: one.ldapActiveDirectory,
      linkByEmail: one.ldapLinkByEmail,
    });
    return [opened];
  });
}

async function openSigner({ commitSigningKey: path }: Config): Promise<CommitSigner | undefined> {
  if (path === undefined) return undefined;
  // Loaded on demand: most servers sign nothing.
  const { openCommitSigner } = await import('./platform/git/signatures/commit-signer.ts');
  return openCommitSigner(path);
}

async function openStorage(config: Config): Promise<Storage> {
  if (config.s3Bucket === undefined) return openLocalStorage(join(config.data, 'storage'));
  const { s3Bucket: bucket, s3Endpoint: endpoint, s3Region: region, s3Prefix: prefix } = config;
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  // Loaded on demand: it takes a third of a second, and most servers never need it.
  const { openS3Storage } = await import('./platform/storage/s3.ts');
  return openS3Storage({ bucket, endpoint, region, prefix, credentials }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefused(
      `the bucket ${bucket} cannot be used (${reason}): check the settings that begin with HEARTH_S3_`,
    );
  });
}

async function openSignals({ databaseUrl }: Config, onFailure: SignalFailure): Promise<Signals> {
  if (databaseUrl === undefined) return createLocalSignals(onFailure);
  const { openPostgresSignals } = await import('./platform/signals/postgres.ts');
  return openPostgresSignals(databaseUrl, onFailure);
}

async function closeOnFailure<T>(db: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await db.close();
    throw error;
  }
}
