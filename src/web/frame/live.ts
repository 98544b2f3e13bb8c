import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import type { Area } from '../../access/area.ts';
import type { Services } from '../../access/services.ts';
import { afterCommit, type Writer } from '../../platform/database/database.ts';
import { Refusal } from './api.ts';
import { type Html, html, type Part } from './html.ts';
import type { Changes, LiveUpdates, Visit } from './visit.ts';

/** A part of a page that is updated while the page is open. */
export function livePart(id: string, inner: Part): Html {
  return html`<div id="${id}" data-live>${inner}</div>`;
}

/** Returns a function that renders the parts and returns those that changed since the last call. */
export function changedParts(draw: () => Promise<Readonly<Record<string, Part>>>): () => Promise<Changes> {
  const known = new Map<string, string>();
  return async () => {
    const messages: Html[] = [];
    for (const [id, inner] of Object.entries(await draw())) {
      const part = livePart(id, inner);
      if (known.get(id) === part.text) continue;
      known.set(id, part.text);
      messages.push(
        html`<turbo-stream action="replace" method="morph" target="${id}"><template>${part}</template></turbo-stream>`,
      );
    }
    return { messages };
  };
}

const channel = 'web.changed';
const projectSignal = (id: number) => `project ${id}`;
const groupSignal = (id: number) => `group ${id}`;

/** The project or group of a change. */
interface Place {
  readonly project_id?: number | null;
  readonly namespace_id?: number | null;
}

function changed({ signals }: Services, trx: Writer, { project_id, namespace_id }: Place): void {
  const name = project_id ? projectSignal(project_id) : namespace_id ? groupSignal(namespace_id) : undefined;
  if (name !== undefined) afterCommit(trx, () => signals.notify(channel, name));
}

/** Events that trigger an update of open pages. */
export const wakingPages: NonNullable<Area['on']> = {
  'note.changed': async (services, trx, { note }) => changed(services, trx, note),
  'issue.changed': async (services, trx, { after }) => changed(services, trx, after.issue),
  'merge-request.changed': async (services, trx, { after }) => changed(services, trx, after.request),
  'job.changed': async (services, trx, { job }) => changed(services, trx, job),
  'pipeline.changed': async (services, trx, { pipeline }) => changed(services, trx, pipeline),
  'deployment.changed': async (services, trx, { deployment }) => changed(services, trx, deployment),
  'epic.changed': async (services, trx, { after }) => changed(services, trx, after),
};

/** Maximum number of open streams, in total and per user; each causes API calls. */
const most = { all: 500, perReader: 12 };
/** Maximum duration of a stream; the browser then reconnects, so that no state is held forever. */
const longest = 15 * 60_000;
/** Minimum interval between updates, because changes come in bursts. */
const rest = 300;

/** Open pages: server-sent event streams, each rendered for its user through the API. */
export class OpenPages {
  readonly #streams = new Map<() => void, string>();
  /** Updates in progress; they must finish before the database is closed. */
  readonly #running = new Set<Promise<unknown>>();
  readonly #services: Services;

  constructor(app: FastifyInstance, services: Services) {
    this.#services = services;
    app.addHook('preClose', async () => {
      for (const end of [...this.#streams.keys()]) end();
      await Promise.allSettled(this.#running);
    });
  }

  /**
   * Streams updates of a page. Returns undefined if the limit is reached or there is nothing to watch. The slot is
   * reserved before anything is awaited: a hundred simultaneous requests must not all find it free.
   */
  async serve(visit: Visit, watch: () => Promise<LiveUpdates | undefined>, headers: Record<string, string>) {
    const ending = new AbortController();
    const end = () => ending.abort();
    if (!this.#hasRoomFor(visit)) return undefined;
    this.#streams.set(end, readerOf(visit));
    visit.reply.raw.on('close', end);
    const served = this.#serve(visit, watch, headers, ending);
    this.#running.add(served);
    try {
      return await served;
    } finally {
      this.#running.delete(served);
      this.#streams.delete(end);
    }
  }

  #hasRoomFor(visit: Visit): boolean {
    const reader = readerOf(visit);
    const own = [...this.#streams.values()].filter((name) => name === reader).length;
    return this.#streams.size < most.all && own < most.perReader;
  }

  async #serve(
    visit: Visit,
    watch: () => Promise<LiveUpdates | undefined>,
    headers: Record<string, string>,
    ending: AbortController,
  ): Promise<LiveUpdates | undefined> {
    const watched = await watch();
    if (!watched) return undefined;
    const bell = new Bell(ending.signal);
    const { projectId, groupId } = watched;
    const names = [projectId && projectSignal(projectId), groupId && groupSignal(groupId)];
    const off = this.#services.signals.on(channel, (payload) => {
      if (payload === undefined || names.includes(payload)) bell.ring();
    });
    try {
      // Check access before sending headers.
      const first = await watched.changes();
      const { reply } = visit;
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // Disables response buffering in proxies.
        'x-accel-buffering': 'no',
      });
      raw.write('retry: 3000\n\n');
      await this.#run(visit, watched, first, bell, ending);
      raw.end();
      return watched;
    } finally {
      off();
    }
  }

  async #run(visit: Visit, watched: LiveUpdates, first: Changes, bell: Bell, ending: AbortController): Promise<void> {
    const { raw } = visit.reply;
    const timer = setTimeout(() => ending.abort(), longest).unref();
    try {
      for (let next = first; !ending.signal.aborted; next = await watched.changes()) {
        const { messages, cursor, over } = next;
        // The comment keeps proxies from closing an idle stream.
        const taken = raw.write(messages.length === 0 ? ':\n\n' : eventOf(messages, cursor));
        if (over) raw.write('event: over\ndata:\n\n');
        if (over) return;
        // Wait for a slow reader: rendered updates would pile up here otherwise.
        if (!taken) await once(raw, 'drain', { signal: ending.signal });
        await bell.wait(watched.every, rest);
      }
    } catch (error) {
      // The user signed out or lost access: the browser reconnects and gets the error.
      if (ending.signal.aborted || error instanceof Refusal) return;
      this.#services.log.warn({ err: error, path: visit.path }, 'a live page failed');
    } finally {
      clearTimeout(timer);
    }
  }
}

const readerOf = ({ user, request }: Visit) => (user ? `user ${user.id}` : request.ip);

function eventOf(messages: readonly Html[], cursor: string | undefined): string {
  const text = messages.map((message) => message.text).join('\n');
  const data = text.replace(/\r/g, '').replace(/^/gm, 'data: ');
  return `${cursor === undefined ? '' : `id: ${cursor}\n`}${data}\n\n`;
}

/** Waits until it is rung or times out; a ring without a waiter is remembered for the next wait. */
class Bell {
  #isRung = false;
  #wake: (() => void) | undefined;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake?.());
  }

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async wait(longestWait: number, shortest: number): Promise<void> {
    await this.#sleep(shortest, false);
    if (!this.#isRung) await this.#sleep(Math.max(0, longestWait - shortest), true);
    this.#isRung = false;
  }

  #sleep(milliseconds: number, byBell: boolean): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish(), milliseconds);
      const finish = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      this.#wake = () => {
        if (byBell || this.#signal.aborted) finish();
      };
    });
  }
}
