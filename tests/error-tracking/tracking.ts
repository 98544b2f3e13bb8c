import { randomBytes } from 'node:crypto';
import type { Project } from '../../src/access/tables.ts';
import type { Engine } from '../../src/platform/database/database.ts';
import { addProject, type Person } from '../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../support/server.ts';

/** Starts a server with rate limits that tests do not reach. */
export function startTracking(engine: Engine, flags: readonly string[] = []): Promise<TestServer> {
  const none = ['key', 'project', 'address', 'daily'].flatMap((name) => [`--error-${name}-rate`, '0']);
  return startTestServer(engine, [...none, ...flags]);
}

/** A project with error tracking enabled. */
export interface Tracked {
  readonly project: Project;
  readonly key: string;
  readonly dsn: string;
}

let count = 0;

/** Creates a project with error tracking enabled. */
export async function addTracked(server: TestServer, owner: Person): Promise<Tracked> {
  count += 1;
  const project = await addProject(server, owner, `tracked-${count}`);
  const path = `/projects/${project.id}/error_tracking`;
  await server.must(`PUT ${path}/settings`, { json: { active: true, integrated: true } });
  const [key] = await server.must(`GET ${path}/client_keys`);
  return { project, key: key.public_key, dsn: key.sentry_dsn };
}

export interface Sent {
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly method?: string;
}

/**
 * Sends a request to an ingest endpoint like an SDK, with the project's key unless the query or headers have another.
 */
export async function send(server: TestServer, { project, key }: Tracked, endpoint: string, sent: Sent = {}) {
  const url = `${server.url}/errortracking/api/v1/projects/api/${project.id}/${endpoint}/${sent.query ?? ''}`;
  return post(url, sent, key);
}

/** Sends a request to a URL. */
export async function post(
  url: string,
  { body, headers, query, method = 'POST' }: Sent,
  key?: string,
): Promise<Answer> {
  const auth: Record<string, string> =
    key === undefined || query || headers ? {} : { 'x-sentry-auth': `Sentry sentry_version=7,sentry_key=${key}` };
  const response = await fetch(url, {
    method,
    body: body ?? null,
    headers: { ...auth, ...headers },
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
}

export function eventId(): string {
  return randomBytes(16).toString('hex');
}

/** An event as sent by SDKs: an exception raised in `work`, called by `main`. */
export function exceptionEvent(more: Record<string, unknown> = {}, type = 'ValueError', value = 'bad') {
  const frames = ['main', 'work'].map((name, index) => ({
    function: name,
    module: `app.${name}`,
    filename: `app/${name}.py`,
    abs_path: `/srv/app/${name}.py`,
    lineno: 10 + index,
    in_app: true,
    pre_context: ['a', 'b'],
    context_line: 'c',
    post_context: ['d'],
  }));
  return {
    event_id: eventId(),
    platform: 'python',
    level: 'error',
    timestamp: Date.now() / 1000,
    exception: { values: [{ type, value, stacktrace: { frames } }] },
    ...more,
  };
}

/** An envelope with one event. */
export function envelopeOf(event: object, header: object = {}): string {
  const payload = JSON.stringify(event);
  return `${JSON.stringify(header)}\n{"type":"event","length":${Buffer.byteLength(payload)}}\n${payload}\n`;
}

/** Sends an event and asserts that it is accepted. */
export async function report(server: TestServer, tracked: Tracked, event: object): Promise<string> {
  const answer = await send(server, tracked, 'envelope', { body: envelopeOf(event) });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body.id;
}

/** Waits until all received events are recorded. */
export async function counted(server: TestServer): Promise<void> {
  await server.running.services.queue.drain();
  for (;;) {
    const waiting = await server.db.read
      .selectFrom('error_tracking_batches')
      .select('id')
      .where('pending', 'is not', null)
      .limit(1)
      .executeTakeFirst();
    if (!waiting) return;
    await server.running.services.queue.drain();
  }
}

/** Returns the errors of a project as rows. */
export function errorsIn(server: TestServer, { project }: Tracked) {
  return server.db.read
    .selectFrom('error_tracking_errors')
    .selectAll()
    .where('project_id', '=', project.id)
    .orderBy('id')
    .execute();
}
