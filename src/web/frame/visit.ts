import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, anonymous } from '../../access/actor.ts';
import type { Appearance } from '../../access/appearance.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Api, SentFile } from './api.ts';
import type { Html } from './html.ts';

/** The parsed body of a form. */
export interface SentForm {
  readonly fields: URLSearchParams;
  readonly file?: SentFile;
  /** The whole body, if it is streamed to the API. */
  readonly stream?: Readable;
}

/** A broadcast message. */
export interface Broadcast {
  readonly id: number;
  readonly type: 'banner' | 'notification';
  readonly theme: string;
  readonly dismissable: boolean;
  readonly text: Html;
}

/** Appearance settings and messages of all pages. */
export interface PageAppearance {
  readonly appearance: Appearance;
  /** Message while the instance is in maintenance mode. */
  readonly maintenance?: string;
  readonly broadcasts: readonly Broadcast[];
  /** Whether there are terms of service to accept. */
  readonly hasTerms: boolean;
}

/** A request for a page. */
export interface Visit {
  readonly api: Api;
  /** The signed-in user. */
  readonly user: User | null;
  /** Deadline for setting up two-factor authentication, if it is required and missing. */
  readonly secondFactorDue?: number;
  /** Decoded parameters of the URL pattern. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Submitted form fields. */
  readonly form: URLSearchParams;
  /** The uploaded file, if any. */
  readonly file?: SentFile;
  /** The unparsed body, for `streamedAddresses`. */
  readonly stream?: Readable;
  /** Requested path, without and with the query. */
  readonly path: string;
  readonly address: string;
  /** URL prefix: empty, unless the server is hosted below a path. */
  readonly base: string;
  /** CSRF token for forms; empty if nobody is signed in. */
  readonly csrf: string;
  readonly look: PageAppearance;
  readonly services: Services;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Returns the actor of a page, for calls that bypass the API. */
export function actorOfVisit({ user, request }: Visit): Actor {
  return user ? { user, carrier: 'session', scopes: new Set(['api']), ip: request.ip } : anonymous;
}

/** The result of a page. */
export type Outcome =
  | {
      readonly page: Html;
      readonly status?: number;
      /** Another origin to which the form of the page redirects. */
      readonly leadsTo?: string;
    }
  | {
      readonly redirect: string;
      /** Message to show after the redirect, if the target page does not show the result itself. */
      readonly notice?: string;
    }
  | { readonly content: string | Buffer; readonly type: string };

/** A page: its URL pattern and its handler. */
export interface Page {
  readonly method?: 'GET' | 'POST';
  /** `:name` matches a segment, `:project` a project path, `:path` one or more segments, `*name` the rest. */
  readonly path: string;
  /** Whether signing in is required. */
  readonly signedIn?: boolean;
  /**
   * Whether the form has no CSRF token and only its origin is checked; for signing in, when there is no session yet.
   */
  readonly withoutToken?: boolean;
  /** Whether pages of other sites may send the form: that of an identity provider, which proves itself otherwise. */
  readonly fromAnySite?: boolean;
  show(visit: Visit): Promise<Outcome> | Outcome;
  /** Returns the live updates of the page; undefined if it has none. */
  watch?(visit: Visit): Promise<LiveUpdates | undefined>;
}

/** The changes since the previous call. */
export interface Changes {
  /** Turbo stream messages. */
  readonly messages: readonly Html[];
  /** Where to continue after the connection is lost. */
  readonly cursor?: string;
  /** Whether there are no further changes. */
  readonly over?: boolean;
}

/** An open page with live updates. */
export interface LiveUpdates {
  /** Changes in this project or group trigger an update at once. */
  readonly projectId?: number;
  readonly groupId?: number;
  /** Polling interval in milliseconds. */
  readonly every: number;
  changes(): Promise<Changes>;
}
