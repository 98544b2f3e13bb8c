import { hash } from 'node:crypto';
import { lookUpNamespace } from '../../access/subjects.ts';
import { blankAccount, ghostUser, insertUser } from '../../people/users/public.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import type { ImportRun } from '../project-imports/public.ts';
import * as store from './store.ts';

/** A user of the source host. */
export interface SourceUser {
  readonly id: string | number;
  readonly username: string;
  readonly name?: string | null;
}

const maxNameLength = 127;
const maxUsernameLength = 255;

/** Shared by all users beyond the placeholder limit. Users without an ID map to the ghost user. */
const overflowUser: SourceUser = { id: '', username: 'import_user', name: 'Import User' };

/** The import in which a user was found. */
export type UserMappingContext = Pick<ImportRun, 'services' | 'namespace' | 'type'>;

/**
 * Maps users of the source host to accounts. In a group, every user gets a placeholder account that cannot sign in, and
 * users beyond the limit share one. In a personal namespace, everything belongs to its owner.
 */
export class UserMapper {
  readonly #run: UserMappingContext;
  readonly #host: string;
  readonly #known = new Map<string, number>();
  #shared: number | undefined;

  constructor(run: UserMappingContext, host: string) {
    this.#run = run;
    this.#host = host;
  }

  /** Whether everything is attributed to the owner of the personal namespace. */
  get personal(): boolean {
    return this.#run.namespace.kind === 'user';
  }

  /**
   * Returns the account ID of a user, creating a placeholder if necessary. `nameOf` looks up an unknown name. A missing
   * user maps to the ghost user.
   */
  async idOf(sourceUser: SourceUser | null | undefined, nameOf?: () => Promise<string | null>): Promise<number> {
    const user = sourceUser && String(sourceUser.id) !== overflowUser.id ? sourceUser : undefined;
    const { owner_id } = this.#run.namespace;
    if (this.personal && owner_id !== null) return owner_id;
    const key = user ? String(user.id) : '';
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const id = user ? await this.#placeholder(user, nameOf) : await this.#ghost();
    if (id !== this.#shared) this.#known.set(key, id);
    return id;
  }

  #ghost(): Promise<number> {
    const { services } = this.#run;
    return services.db.write(async (trx) => (await ghostUser(services, trx)).id);
  }

  async #placeholder(user: SourceUser, nameOf?: () => Promise<string | null>): Promise<number> {
    const { services, namespace, type } = this.#run;
    const [root = ''] = namespace.full_path.split('/');
    const top = (await lookUpNamespace(services.db.read, root)) ?? namespace;
    const key = {
      namespace_id: top.id,
      import_type: type,
      source_hostname: this.#host,
      source_user_id: String(user.id),
    };
    const known = await store.findSourceUser(services.db.read, key);
    if (known) return known.user_id;
    if (user !== overflowUser && (this.#shared || (await this.#full(top.id)))) {
      this.#shared ??= await this.#placeholder(overflowUser);
      return this.#shared;
    }
    return this.#make(key, user, user.name ?? (await nameOf?.()) ?? user.username);
  }

  #full(topId: number): Promise<boolean> {
    const { db, config } = this.#run.services;
    return store.hasSourceUsers(db.read, topId, config.importPeople);
  }

  async #make(key: store.SourceUserKey, user: SourceUser, name: string): Promise<number> {
    const { services } = this.#run;
    const written = accountOf(services.externalUrl, key, user.username, name);
    try {
      return await services.db.write(async (trx) => {
        const account = await insertUser(services, trx, written);
        await store.insertSourceUser(trx, {
          ...key,
          source_username: user.username.slice(0, maxUsernameLength),
          source_name: name.slice(0, maxUsernameLength),
          user_id: account.id,
          created_at: Date.now(),
          // The shared account cannot be reassigned.
          ...(user === overflowUser ? { status: 'completed' as const } : {}),
        });
        return account.id;
      });
    } catch (error) {
      // A concurrent import into the same group created the placeholder.
      const other = uniqueViolation(error) ? await store.findSourceUser(services.db.read, key) : undefined;
      if (!other) throw error;
      return other.user_id;
    }
  }
}

function accountOf(externalUrl: string, key: store.SourceUserKey, sourceName: string, name: string) {
  const digest = hash('sha256', JSON.stringify(key), 'hex').slice(0, 12);
  const short = Number.parseInt(digest, 16).toString(36);
  const letters = sourceName.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 100);
  const username = `${letters || 'user'}_placeholder_${short}`;
  return {
    ...blankAccount,
    kind: 'placeholder' as const,
    username,
    name: key.source_user_id === overflowUser.id ? name : `Placeholder ${name.slice(0, maxNameLength)}`,
    email: `${username}@noreply.${new URL(externalUrl).hostname}`,
    can_create_group: 0,
    projects_limit: 0,
  };
}
