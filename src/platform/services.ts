import type { InstanceSettings } from '../access/application-settings/source.ts';
import type { Config } from '../config.ts';
import type { Database } from './database/database.ts';
import type { Egress } from './egress/client.ts';
import type { Git } from './git/git.ts';
import type { RateLimits } from './http/rate-limits.ts';
import type { Logger } from './log.ts';
import type { Queue } from './queue/queue.ts';
import type { Encryption } from './secrets/encryption.ts';
import type { Passwords } from './secrets/password.ts';
import type { Signals } from './signals/signals.ts';
import type { Storage } from './storage/storage.ts';

/** What the server opens once and hands to every area. */
export interface Services {
  readonly config: Config;
  /** The external address, without a slash at its end. */
  readonly externalUrl: string;
  readonly db: Database;
  readonly git: Git;
  readonly storage: Storage;
  readonly queue: Queue;
  readonly signals: Signals;
  readonly egress: Egress;
  readonly encryption: Encryption;
  readonly passwords: Passwords;
  /** What administrators change while the server runs. */
  readonly settings: InstanceSettings;
  readonly limits: RateLimits;
  readonly log: Logger;
}
