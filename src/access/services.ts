import type { Config } from '../config/config.ts';
import type { Database } from '../platform/database/database.ts';
import type { Directory } from '../platform/directory/directory.ts';
import type { Announce, GetContributions } from '../platform/domain-events.ts';
import type { Egress } from '../platform/egress/client.ts';
import type { Git } from '../platform/git/git.ts';
import type { RateLimits } from '../platform/http/server/rate-limits.ts';
import type { Logger } from '../platform/log.ts';
import type { Queue } from '../platform/queue/queue.ts';
import type { Encryption } from '../platform/secrets/encryption.ts';
import type { Passwords } from '../platform/secrets/password.ts';
import type { Signals } from '../platform/signals/signals.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { InstanceSettings } from './application-settings/source.ts';

/** The shared services that the server creates once and passes to every area. */
export interface Services {
  readonly config: Config;
  /** The external URL, without a trailing slash. */
  readonly externalUrl: string;
  readonly db: Database;
  readonly git: Git;
  readonly storage: Storage;
  readonly queue: Queue;
  readonly signals: Signals;
  readonly egress: Egress;
  /** LDAP directories, in the order in which they are queried. */
  readonly directories: readonly Directory[];
  readonly encryption: Encryption;
  readonly passwords: Passwords;
  /** Settings that administrators can change at runtime. */
  readonly settings: InstanceSettings;
  readonly limits: RateLimits;
  readonly log: Logger;
  /** Announces a domain event to its subscribers. */
  readonly announce: Announce;
  /** Returns the contributions of all areas to an extension point. */
  readonly contributions: GetContributions;
}
