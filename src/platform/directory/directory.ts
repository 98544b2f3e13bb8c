import { readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Client, Entry } from 'ldapts';
import { Limiter } from '../concurrency.ts';

/** Where the directory is, how it is spoken to, and what is of interest in it. */
export interface DirectorySettings {
  /** What it is called in identities and group links. */
  readonly provider: string;
  readonly url: string;
  readonly startTls: boolean;
  /** A file of authorities that vouch for the directory's certificate; without it, those of the system. */
  readonly ca: string | undefined;
  readonly bindDn: string | undefined;
  readonly password: string | undefined;
  /** Where people are, and the attribute that they sign in with. */
  readonly base: string;
  readonly uid: string;
  readonly userFilter: string | undefined;
  /** Where groups are; without it, none are synchronized. */
  readonly groupBase: string | undefined;
  readonly adminGroup: string | undefined;
  readonly externalGroups: readonly string[];
  readonly activeDirectory: boolean;
  /** May it take over accounts by the addresses that it tells? */
  readonly linkByEmail: boolean;
}

/** An entry: attributes in lower case, each with all its values. */
export interface DirectoryEntry {
  readonly dn: string;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

export interface DirectorySearch {
  readonly base: string;
  readonly scope: 'base' | 'sub';
  readonly filter: string;
  readonly attributes: readonly string[];
  /** No more than so many are of interest. */
  readonly most?: number;
}

/** The directory does not answer, or not as it should: nothing can be concluded about anybody. */
export class DirectoryUnavailable extends Error {
  override readonly name = 'DirectoryUnavailable';
}

/** One connection, bound as the server's own account. */
export interface DirectorySession {
  /** Entries in pages of the directory's own. None where the base does not exist. */
  search(request: DirectorySearch): AsyncIterable<DirectoryEntry>;
  first(request: DirectorySearch): Promise<DirectoryEntry | undefined>;
  /** Is this the password of the entry? The connection is the entry's afterwards: ask nothing more over it. */
  proves(dn: string, password: string): Promise<boolean>;
}

export interface Directory {
  readonly settings: DirectorySettings;
  /** Opens a connection, does something over it and closes it. */
  use<T>(work: (session: DirectorySession) => Promise<T>): Promise<T>;
}

const timeouts = { connectTimeout: 5000, timeout: 15_000 };
const pageSize = 500;
/** Codes of results that say something about what was asked, not about the directory. */
const noSuchObject = 32;
const sizeLimitExceeded = 4;
const wrongCredentials: ReadonlySet<number> = new Set([49, 50, 53, 19]);

/** An LDAP directory. A password never travels in the clear where `startTls` is asked for. */
export function createDirectory(settings: DirectorySettings): Directory {
  const limiter = new Limiter({ running: 20, waiting: 200 }, () => new DirectoryUnavailable('too many are waiting'));
  const { hostname } = new URL(settings.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const tls = (): ConnectionOptions => ({
    host,
    ...(settings.ca === undefined ? {} : { ca: readFileSync(settings.ca) }),
  });

  async function open(): Promise<Client> {
    const { Client } = await import('ldapts');
    let dialled = false;
    const client = new Client({
      url: settings.url,
      ...timeouts,
      ...(settings.url.startsWith('ldaps:') ? { tlsOptions: tls() } : {}),
      // A connection that breaks is dialled again by the client: in the clear, after STARTTLS.
      createConnection: ((...args: Parameters<typeof connectPlain>) => {
        if (dialled) throw new DirectoryUnavailable('the connection broke');
        dialled = true;
        return connectPlain(...args);
      }) as typeof connectPlain,
    });
    try {
      if (settings.startTls) await client.startTLS(tls());
      if (settings.bindDn !== undefined) await client.bind(settings.bindDn, settings.password ?? '');
      return client;
    } catch (error) {
      await client.unbind().catch(() => undefined);
      throw unavailable(error);
    }
  }

  return {
    settings,
    use: (work) =>
      limiter.run(async () => {
        const client = await open();
        try {
          return await work(sessionOf(client));
        } finally {
          // Whatever was asked has been answered: a failure to say goodbye changes nothing.
          await client.unbind().catch(() => undefined);
        }
      }),
  };
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;

function unavailable(error: unknown): DirectoryUnavailable {
  if (error instanceof DirectoryUnavailable) return error;
  return new DirectoryUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
}

function sessionOf(client: Client): DirectorySession {
  async function* search({ base, scope, filter, attributes, most }: DirectorySearch): AsyncGenerator<DirectoryEntry> {
    let seen = 0;
    try {
      const pages = client.searchPaginated(base, {
        scope,
        filter,
        attributes: [...attributes],
        paged: { pageSize },
        timeLimit: 60,
      });
      for await (const { searchEntries } of pages) {
        for (const entry of searchEntries) {
          yield read(entry);
          if (++seen === most) return;
        }
      }
    } catch (error) {
      if (codeOf(error) === noSuchObject) return;
      if (codeOf(error) === sizeLimitExceeded && most !== undefined) return;
      throw unavailable(error);
    }
  }
  return {
    search,
    async first(request) {
      for await (const entry of search({ ...request, most: 1 })) return entry;
      return undefined;
    },
    async proves(dn, password) {
      // A bind without a password succeeds at many directories, and proves nothing.
      if (password === '') return false;
      try {
        await client.bind(dn, password);
        return true;
      } catch (error) {
        if (wrongCredentials.has(codeOf(error) ?? -1)) return false;
        throw unavailable(error);
      }
    },
  };
}

function read({ dn, ...rest }: Entry): DirectoryEntry {
  const attributes = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(rest)) {
    const values: readonly (Buffer | string)[] = Array.isArray(value) ? value : [value];
    attributes.set(
      name.toLowerCase(),
      values.map((one) => (typeof one === 'string' ? one : one.toString('utf8'))),
    );
  }
  return { dn, attributes };
}

/** Can this be asked of a directory? */
export async function isFilter(text: string): Promise<boolean> {
  const { FilterParser } = await import('ldapts');
  try {
    FilterParser.parseString(text);
    return true;
  } catch {
    return false;
  }
}
