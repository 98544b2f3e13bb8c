import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, anonymous } from '../../access/actor.ts';
import type { Appearance } from '../../access/appearance.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Api, SentFile } from './api.ts';
import type { Html } from './html.ts';

/** What came with a request. */
export interface SentForm {
  readonly fields: URLSearchParams;
  readonly file?: SentFile;
  /** The whole of it, where it is handed on as it comes. */
  readonly stream?: Readable;
}

/** Something that the administrators tell whoever opens a page. */
export interface Broadcast {
  readonly id: number;
  readonly type: 'banner' | 'notification';
  readonly theme: string;
  readonly dismissable: boolean;
  readonly text: Html;
}

/** What the administrators have every page say. */
export interface Look {
  readonly appearance: Appearance;
  /** Why nothing can be changed at the moment. */
  readonly maintenance?: string;
  readonly broadcasts: readonly Broadcast[];
  /** Whether there are terms that people accept. */
  readonly hasTerms: boolean;
}

/** One request for a page. */
export interface Visit {
  readonly api: Api;
  /** Who is signed in. */
  readonly user: User | null;
  /** When whoever is signed in must have a second factor, where they have none. */
  readonly secondFactorDue?: number;
  /** The parts of the address that the page's pattern names, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What a form has sent. */
  readonly form: URLSearchParams;
  /** A file that came with it. */
  readonly file?: SentFile;
  /** The unread form, at one of the `streamedAddresses`. */
  readonly stream?: Readable;
  /** The path as it was asked for, and with its query. */
  readonly path: string;
  readonly address: string;
  /** What addresses begin with: empty, unless the server stands below a path of another one. */
  readonly base: string;
  /** For forms: proves that they are ours. Empty where nobody is signed in. */
  readonly csrf: string;
  readonly look: Look;
  readonly services: Services;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Whoever reads the page, where the API is not asked. */
export function readerOf({ user, request }: Visit): Actor {
  return user ? { user, carrier: 'session', scopes: new Set(['api']), ip: request.ip } : anonymous;
}

/** What a page answers with. */
export type Outcome =
  | {
      readonly page: Html;
      readonly status?: number;
      /** Another site that the answer to a form of the page leads to. */
      readonly leadsTo?: string;
    }
  | {
      readonly redirect: string;
      /** What was done, where the page that it leads to does not show it by itself. */
      readonly told?: string;
    }
  | { readonly content: string | Buffer; readonly type: string };

/** One page: its address, and what it shows or does. */
export interface Page {
  readonly method?: 'GET' | 'POST';
  /** `:name` is a segment, `:project` the path of a project, `:path` one or more segments, `*name` whatever follows. */
  readonly path: string;
  /** Whoever is not signed in is sent to sign in first. */
  readonly signedIn?: boolean;
  /** The form needs no proof but that no other site sent it: signing in, when there is no session yet. */
  readonly withoutToken?: boolean;
  show(visit: Visit): Promise<Outcome> | Outcome;
  /** What changes in the page while it is open; a page without it, or with nothing that does, stays as it was. */
  watch?(visit: Visit): Promise<Watched | undefined>;
}

/** What has changed since it was asked last, for a page that is open. */
export interface Changes {
  /** Messages of Turbo, which it carries out in the page. */
  readonly messages: readonly Html[];
  /** Where to go on after the connection was lost. */
  readonly cursor?: string;
  /** Nothing more will change. */
  readonly over?: boolean;
}

/** A page that is open. */
export interface Watched {
  /** Whose changes are a reason to look again at once. */
  readonly projectId?: number;
  readonly groupId?: number;
  /** Milliseconds after which to look again anyway. */
  readonly every: number;
  changes(): Promise<Changes>;
}
