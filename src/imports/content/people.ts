import { hash } from 'node:crypto';
import { lookUpNamespace } from '../../access/subjects.ts';
import { blankAccount, ghostUser, insertUser } from '../../people/users/public.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import type { ImportRun } from '../project-imports/public.ts';
import * as store from './store.ts';

/** Somebody on another host. */
export interface SourceUser {
  readonly id: string | number;
  readonly username: string;
  readonly name?: string | null;
}

const longestName = 127;
const longestUsername = 255;

/** Stands for everybody whom there is no room for; whoever comes without an identifier is the ghost. */
const everybodyElse: SourceUser = { id: '', username: 'import_user', name: 'Import User' };

/** The import that somebody is met in. */
export type MeetingPlace = Pick<ImportRun, 'services' | 'namespace' | 'type'>;

/**
 * Who things belong to here. In a group everybody of the other host gets an account of their own that nobody can sign in
 * with, and those who come after very many of them share one; in a personal namespace everything is its owner's.
 */
export class People {
  readonly #run: MeetingPlace;
  readonly #host: string;
  readonly #known = new Map<string, number>();
  #shared: number | undefined;

  constructor(run: MeetingPlace, host: string) {
    this.#run = run;
    this.#host = host;
  }

  /** Whether everything becomes the owner's. */
  get personal(): boolean {
    return this.#run.namespace.kind === 'user';
  }

  /** The account of somebody; `nameOf` is asked for the name where it is not known yet. Nobody is the ghost. */
  async idOf(met: SourceUser | null | undefined, nameOf?: () => Promise<string | null>): Promise<number> {
    const user = met && String(met.id) !== everybodyElse.id ? met : undefined;
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
    if (user !== everybodyElse && (this.#shared || (await this.#full(top.id)))) {
      this.#shared ??= await this.#placeholder(everybodyElse);
      return this.#shared;
    }
    return this.#make(key, user, user.name ?? (await nameOf?.()) ?? user.username);
  }

  #full(topId: number): Promise<boolean> {
    const { db, config } = this.#run.services;
    return store.hasSourceUsers(db.read, topId, config.importPeople);
  }

  async #make(key: store.SourceKey, user: SourceUser, name: string): Promise<number> {
    const { services } = this.#run;
    const written = accountOf(services.externalUrl, key, user.username, name);
    try {
      return await services.db.write(async (trx) => {
        const account = await insertUser(services, trx, written);
        await store.insertSourceUser(trx, {
          ...key,
          source_username: user.username.slice(0, longestUsername),
          source_name: name.slice(0, longestUsername),
          user_id: account.id,
          created_at: Date.now(),
          // Nobody is all of them: there is nobody to ask.
          ...(user === everybodyElse ? { status: 'completed' as const } : {}),
        });
        return account.id;
      });
    } catch (error) {
      // Another import of the same group met the same person.
      const other = uniqueViolation(error) ? await store.findSourceUser(services.db.read, key) : undefined;
      if (!other) throw error;
      return other.user_id;
    }
  }
}

function accountOf(externalUrl: string, key: store.SourceKey, sourceName: string, name: string) {
  const digest = hash('sha256', JSON.stringify(key), 'hex').slice(0, 12);
  const short = Number.parseInt(digest, 16).toString(36);
  const letters = sourceName.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 100);
  const username = `${letters || 'user'}_placeholder_${short}`;
  return {
    ...blankAccount,
    kind: 'placeholder' as const,
    username,
    name: key.source_user_id === everybodyElse.id ? name : `Placeholder ${name.slice(0, longestName)}`,
    email: `${username}@noreply.${new URL(externalUrl).hostname}`,
    can_create_group: 0,
    projects_limit: 0,
  };
}
