import { readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Client, Entry } from 'ldapts';
import { Limiter } from '../concurrency.ts';

/** The location of an LDAP directory, how to connect to it, and which entries matter. */
export interface DirectorySettings {
  /** The provider name in identities and group links. */
  readonly provider: string;
  readonly url: string;
  readonly startTls: boolean;
  /** A file of certificate authorities to trust for the directory; the system's by default. */
  readonly ca: string | undefined;
  readonly bindDn: string | undefined;
  readonly password: string | undefined;
  /** The base of user entries, and the attribute with their login name. */
  readonly base: string;
  readonly uid: string;
  readonly userFilter: string | undefined;
  /** The base of group entries; without it, no groups are synchronized. */
  readonly groupBase: string | undefined;
  readonly adminGroup: string | undefined;
  readonly externalGroups: readonly string[];
  readonly activeDirectory: boolean;
  /** Whether existing accounts may be linked by the e-mail address that the directory reports. */
  readonly linkByEmail: boolean;
}

/** An entry; attribute names are in lower case, and each has all its values. */
export interface DirectoryEntry {
  readonly dn: string;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

export interface DirectorySearch {
  readonly base: string;
  readonly scope: 'base' | 'sub';
  readonly filter: string;
  readonly attributes: readonly string[];
  /** Maximum number of entries to return. */
  readonly most?: number;
}

/** The directory does not respond, or not as expected, so nothing can be concluded about any user. */
export class DirectoryUnavailable extends Error {
  override readonly name = 'DirectoryUnavailable';
}

/** A connection bound as the server's own account. */
export interface DirectorySession {
  /** Returns entries in pages of the directory's choosing; none if the base does not exist. */
  search(request: DirectorySearch): AsyncIterable<DirectoryEntry>;
  first(request: DirectorySearch): Promise<DirectoryEntry | undefined>;
  /**
   * Whether this is the password of the entry. The connection is bound as the entry afterwards: do not use it any more.
   */
  proves(dn: string, password: string): Promise<boolean>;
}

export interface Directory {
  readonly settings: DirectorySettings;
  /** Opens a connection, runs the work with it and closes it. */
  use<T>(work: (session: DirectorySession) => Promise<T>): Promise<T>;
}

const timeouts = { connectTimeout: 5000, timeout: 15_000 };
const pageSize = 500;
/** Result codes about the request rather than about the directory. */
const noSuchObject = 32;
const sizeLimitExceeded = 4;
const wrongCredentials: ReadonlySet<number> = new Set([49, 50, 53, 19]);

/** Creates a client of an LDAP directory. With `startTls`, passwords are never sent in clear text. */
export function createDirectory(settings: DirectorySettings): Directory {
  const limiter = new Limiter(
    { running: 20, waiting: 200 },
    () => new DirectoryUnavailable('too many requests are waiting'),
  );
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
      // The client would reconnect after a broken connection, and in clear text instead of with STARTTLS.
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
          // All requests have been answered: a failure to unbind does not matter.
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
      // Many directories accept a bind without a password, which authenticates nobody.
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

/** Whether a text is a valid LDAP filter. */
export async function isFilter(text: string): Promise<boolean> {
  const { FilterParser } = await import('ldapts');
  try {
    FilterParser.parseString(text);
    return true;
  } catch {
    return false;
  }
}
