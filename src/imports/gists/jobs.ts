import type { IncomingHttpHeaders } from 'node:http';
import Type, { type Static } from 'typebox';
import { actingFor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { createSnippet } from '../../planning/snippets/public.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { fault } from '../../platform/faults.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { jsonShape } from '../../platform/json-shape.ts';
import { type Job, RunAgain } from '../../platform/queue/job.ts';
import { storedJson } from '../../platform/stored-json.ts';
import { field, HostError, RateLimited } from '../host-client/public.ts';
import { hostaClient, nextLink } from '../hosta/public.ts';
import { purpose } from './service.ts';
import { findGistImport, updateGistImport } from './store.ts';
import type { GistImportRow } from './tables.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'imports.gists': { userId: number };
  }
}

const { flag, maybe, text } = field;

const GistFile = Type.Object({
  filename: text,
  size: Type.Integer({ minimum: 0 }),
  raw_url: text,
});

const Gist = Type.Object({
  id: text,
  description: maybe(text),
  public: maybe(flag),
  files: Type.Record(Type.String(), GistFile),
});

type GistFile = Static<typeof GistFile>;
type Gist = Static<typeof Gist>;

const gistShape = jsonShape(Gist);
const pageShape = jsonShape(Type.Array(Type.Unknown(), { maxItems: 1000 }));

const mostFiles = 10;
const mostBytes = 50 * 1024 * 1024;
const mostAttempts = 6;

export function gistJobs(services: Services): void {
  services.queue.defineJob('imports.gists', (job) => runImport(services, job), {
    timeoutMs: 2 * 60 * 60_000,
    maxAttempts: mostAttempts,
    concurrency: 2,
  });
}

async function runImport(services: Services, job: Job<{ readonly userId: number }>): Promise<void> {
  const { db } = services;
  const { userId } = job.payload;
  const row = await findGistImport(db.read, userId);
  const user = await findUser(db.read, userId);
  if (!row || row.encrypted_data === null || !user) return;
  const end = () => db.write((trx) => updateGistImport(trx, userId, { encrypted_data: null, cursor: null }));
  try {
    await importPages(services, user, row, job.signal);
    await end();
  } catch (error) {
    if (error instanceof RateLimited) throw new RunAgain(error.waitMs);
    // The last attempt: what is kept must not outlive it.
    if (job.attempt >= job.maxAttempts && !job.signal.aborted) await end();
    throw error;
  }
}

const storedFailures = storedJson(Type.Array(Type.Object({ id: Type.String(), reason: Type.String() })));

async function importPages(services: Services, user: User, row: GistImportRow, signal: AbortSignal): Promise<void> {
  const token = services.encryption.decrypt(row.encrypted_data ?? '', purpose);
  const client = hostaClient(services, services.config.hostaUrl, token, true);
  const [, done = '0', page = '/gists?per_page=100'] = /^(\d+) (.+)$/.exec(row.cursor ?? '') ?? [];
  const failed = storedFailures(row.failed);
  let skipped = Number(done);
  for (let place: string | undefined = page; place !== undefined; ) {
    client.checkPause();
    const { body, headers }: { body: unknown; headers: IncomingHttpHeaders } = await client.get(place, { signal });
    if (!pageShape.fits(body)) throw new HostError(200, 'not a list');
    for (const [at, gist] of body.entries()) {
      if (at < skipped) continue;
      const failure = await failureOf(services, user, gist, signal);
      if (failure) failed.push(failure);
      const columns = { cursor: `${at + 1} ${place}`, failed: JSON.stringify(failed) };
      await services.db.write((trx) => updateGistImport(trx, user.id, columns));
      fault('gists.imported');
    }
    skipped = 0;
    place = nextLink(headers.link);
  }
}

/** Imports what may be a gist; returns what could not be brought, if anything. */
async function failureOf(services: Services, user: User, found: unknown, signal: AbortSignal) {
  if (!gistShape.fits(found)) return { id: 'unknown', reason: gistShape.problemOf(found).slice(0, 1000) };
  const reason = await importGist(services, user, found, signal);
  return reason === undefined ? undefined : { id: found.id, reason };
}

/** Makes a snippet of a gist; returns what was wrong with it, if anything. */
async function importGist(
  services: Services,
  user: User,
  gist: Gist,
  signal: AbortSignal,
): Promise<string | undefined> {
  const files = Object.values(gist.files);
  if (files.length > mostFiles) return 'Snippet maximum file count exceeded';
  if (files.reduce((sum, { size }) => sum + size, 0) > mostBytes) return 'Snippet repository size exceeded';
  try {
    const contents = [];
    for (const file of files)
      contents.push({ file_path: file.filename, content: await contentOf(services, file, signal) });
    await createSnippet(services, actingFor(user), null, {
      title: [...(gist.description || files[0]?.filename || gist.id)].slice(0, 255).join(''),
      visibility: gist.public ? 'public' : 'private',
      files: contents,
    });
    return undefined;
  } catch (error) {
    if (error instanceof HttpError || error instanceof HostError || error instanceof EgressRefused)
      return error.message;
    throw error;
  }
}

// The address is the other host's word: it is asked without the token.
async function contentOf({ egress }: Services, { raw_url }: GistFile, signal: AbortSignal): Promise<string> {
  const response = await egress.fetch(raw_url, { redirects: 3, maxBytes: mostBytes, signal });
  const text = await response.text();
  if (response.status !== 200) throw new HostError(response.status, 'the file could not be read');
  return text;
}
