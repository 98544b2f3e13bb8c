import type { IncomingHttpHeaders } from 'node:http';
import Type, { type Static } from 'typebox';
import { actorOnBehalfOf } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { insertSnippet, makeSnippet, snippetVisibility } from '../../planning/snippets/public.ts';
import { EgressRefused } from '../../platform/egress/client.ts';
import { fault } from '../../platform/faults.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { jsonShape } from '../../platform/json-shape.ts';
import { type Job, RunAgain } from '../../platform/queue/job.ts';
import { scrubUrl } from '../../platform/scrub-url.ts';
import { storedJson } from '../../platform/stored-json.ts';
import { importedTime } from '../content/public.ts';
import { field, HostError, RateLimited } from '../host-client/public.ts';
import { hostaClient, nextLink } from '../hosta/public.ts';
import { abandonedMs, purpose } from './service.ts';
import { findGistImport, gistImportsBefore, lockGistImport, updateGistImport } from './store.ts';
import type { GistImportRow } from './tables.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** The gist import of a user has ended. */
    'gist-import.ended': {
      readonly userId: number;
      /** Gists that were not imported, with reasons. */
      readonly failed: readonly GistFailure[];
      /** Why the import did not complete; null if it did. */
      readonly error: string | null;
    };
  }
}

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
  created_at: maybe(text),
  updated_at: maybe(text),
});

type GistFile = Static<typeof GistFile>;

const gistShape = jsonShape(Gist);
const pageShape = jsonShape(Type.Array(Type.Unknown(), { maxItems: 1000 }));

const maxFiles = 10;
const maxBytes = 50 * 1024 * 1024;
const maxAttempts = 6;

const hour = 60 * 60_000;

/** A gist that could not be imported. */
interface GistFailure {
  readonly id: string;
  readonly reason: string;
}

export function gistJobs(services: Services): void {
  services.queue.recurring('imports.forget-gists', { everyMs: hour }, () => forgetAbandoned(services, Date.now()));
  services.queue.defineJob('imports.gists', (job) => runImport(services, job), {
    timeoutMs: 2 * hour,
    maxAttempts,
    concurrency: 2,
  });
}

async function runImport(services: Services, job: Job<{ readonly userId: number }>): Promise<void> {
  const { db } = services;
  const { userId } = job.payload;
  const row = await findGistImport(db.read, userId);
  const user = await findUser(db.read, userId);
  if (!row || row.encrypted_data === null || !user) return;
  const end = (error: string | null) => endImport(services, userId, error);
  try {
    await importPages(services, user, row, job.signal);
    await end(null);
  } catch (error) {
    if (error instanceof RateLimited) throw new RunAgain(error.waitMs);
    // Last attempt: the stored token must not outlive it.
    if (job.attempt >= job.maxAttempts && !job.signal.aborted) await end(errorMessage(error));
    throw error;
  }
}

function errorMessage(error: unknown): string {
  return scrubUrl(error instanceof Error ? error.message : String(error)).slice(0, 1000);
}

/** Erases the token and announces the result. */
async function endImport({ db, announce }: Services, userId: number, error: string | null): Promise<void> {
  await db.write(async (trx) => {
    const row = await lockGistImport(trx, userId);
    if (!row || row.encrypted_data === null) return;
    await updateGistImport(trx, userId, { encrypted_data: null, cursor: null });
    await announce(trx, 'gist-import.ended', { userId, failed: storedFailures(row.failed), error });
  });
}

/** Ends abandoned imports, whose worker crashed too often. */
export async function forgetAbandoned(services: Services, now: number): Promise<void> {
  for (;;) {
    const abandoned = await gistImportsBefore(services.db.read, now - abandonedMs);
    if (abandoned.length === 0) return;
    for (const { user_id } of abandoned) await endImport(services, user_id, 'the import timed out');
  }
}

const storedFailures = storedJson(Type.Array(Type.Object({ id: Type.String(), reason: Type.String() })));

async function importPages(services: Services, user: User, row: GistImportRow, signal: AbortSignal): Promise<void> {
  const token = services.encryption.decrypt(row.encrypted_data ?? '', purpose);
  const client = hostaClient(services, services.config.hostaUrl, token, true);
  const [, processed = '0', page = '/gists?per_page=100'] = /^(\d+) (.+)$/.exec(row.cursor ?? '') ?? [];
  const failed = storedFailures(row.failed);
  let skipped = Number(processed);
  for (let place: string | undefined = page; place !== undefined; ) {
    client.checkPause();
    const { body, headers }: { body: unknown; headers: IncomingHttpHeaders } = await client.get(place, { signal });
    if (!pageShape.fits(body)) throw new HostError(200, 'not a list');
    for (const [at, gist] of body.entries()) {
      if (at < skipped) continue;
      const read = await readGist(services, user, gist, signal);
      if ('reason' in read) failed.push(read);
      const columns = { cursor: `${at + 1} ${place}`, failed: JSON.stringify(failed) };
      // Saved together with the cursor, so that a crash leaves both or neither.
      await services.db
        .write(async (trx) => {
          if ('repository' in read) await insertSnippet(trx, { ...read, project_id: null });
          await updateGistImport(trx, user.id, columns);
        })
        .catch(async (error: unknown) => {
          if ('repository' in read) await services.git.remove(services.git.repository(read.repository));
          throw error;
        });
      fault('gists.imported');
    }
    skipped = 0;
    place = nextLink(headers.link);
  }
}

/** Converts a gist to a snippet, or returns the reason why it cannot be imported. */
async function readGist(
  services: Services,
  user: User,
  found: unknown,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof makeSnippet>> | GistFailure> {
  if (!gistShape.fits(found)) return { id: 'unknown', reason: gistShape.problemOf(found).slice(0, 1000) };
  const { id } = found;
  const files = Object.values(found.files);
  if (files.length > maxFiles) return { id, reason: 'Snippet maximum file count exceeded' };
  if (files.reduce((sum, { size }) => sum + size, 0) > maxBytes) {
    return { id, reason: 'Snippet repository size exceeded' };
  }
  try {
    const contents = [];
    for (const file of files) {
      contents.push({ file_path: file.filename, content: await contentOf(services, file, signal) });
    }
    return await makeSnippet(services, user, {
      title: [...(found.description || files[0]?.filename || id)].slice(0, 255).join(''),
      visibility: await snippetVisibility(services, actorOnBehalfOf(user), found.public ? 'public' : 'private'),
      files: contents,
      created_at: importedTime(found.created_at),
      updated_at: importedTime(found.updated_at ?? found.created_at),
      imported_from: 'github',
    });
  } catch (error) {
    const final = error instanceof HttpError || error instanceof HostError || error instanceof EgressRefused;
    if (!final) throw error;
    return { id, reason: scrubUrl(error.message) };
  }
}

// The URL is controlled by the source host, so it is requested without the token.
async function contentOf({ egress }: Services, { raw_url }: GistFile, signal: AbortSignal): Promise<string> {
  const response = await egress.fetch(raw_url, { redirects: 3, maxBytes, signal });
  const text = await response.text();
  if (response.status !== 200) throw new HostError(response.status, 'the file could not be read');
  return text;
}
