import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { keepImportedFile } from '../../../namespaces/projects/public.ts';
import { EgressRefused, type EgressResponse, ResponseTooLarge } from '../../../platform/egress/client.ts';
import { HostError, RateLimited, rateLimitOf } from '../../host-client/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import type { HostaOptions } from '../api.ts';
import { attachmentName } from './links.ts';

const mebibyte = 1024 * 1024;
const defaultDelayMs = 120_000;
const maxAttempts = 3;
const pauseMs = 500;
/** Statuses of permanent errors. */
const permanentStatuses = new Set([400, 401, 403, 404, 410, 413, 451]);

/** Stores the file at a URL as an upload of the project. Returns its new URL. */
export async function storeAttachment(run: ImportRun, url: string): Promise<string> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt(run, url);
    } catch (error) {
      if (run.signal.aborted || attempts === maxAttempts || !isTemporary(error)) throw error;
      await setTimeout(pauseMs * 2 ** attempts, undefined, { signal: run.signal });
    }
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof HostError) return !permanentStatuses.has(error.status);
  return !(error instanceof RateLimited || error instanceof EgressRefused || error instanceof ResponseTooLarge);
}

async function attempt(run: ImportRun, url: string): Promise<string> {
  const { services, project } = run;
  const { salt } = run.options<HostaOptions>();
  const response = await fetchFile(run, url);
  const filename = attachmentName(url, response.headers['content-type']);
  // Deterministic, so that a retry after a crash creates no second copy, and unguessable for other users.
  const secret = createHmac('sha256', salt).update(url).digest('hex').slice(0, 32);
  try {
    const owner = { project_id: project.id, namespace_id: null };
    await keepImportedFile(services, owner, { secret, filename, userId: run.userId }, response.body);
  } finally {
    discard(response);
  }
  return `/uploads/${secret}/${filename}`;
}

/** Sends the token only to its own host, not to redirect targets. */
async function fetchFile(run: ImportRun, url: string): Promise<EgressResponse> {
  const { services, signal } = run;
  const { token, cloneUrl } = run.options<HostaOptions>();
  const { max_attachment_size } = await services.settings.read();
  const asking = { maxBytes: max_attachment_size * mebibyte, signal };
  const own = new URL(url).origin === new URL(cloneUrl).origin;
  const first = await services.egress.fetch(url, {
    ...asking,
    ...(own ? { headers: { authorization: `Bearer ${token}` } } : {}),
  });
  const { location } = first.headers;
  if (first.status < 300 || first.status >= 400 || location === undefined) return succeeded(first);
  discard(first);
  const target = URL.parse(location, url);
  if (!target || /^\/(?:login|session)\b/.test(target.pathname))
    throw new HostError(401, 'the host requires signing in');
  return succeeded(await services.egress.fetch(target.href, { ...asking, redirects: 3 }));
}

async function succeeded(response: EgressResponse): Promise<EgressResponse> {
  const { status, headers } = response;
  if (status === 200) return response;
  discard(response);
  const limited = status === 429 || (status === 403 && headers['retry-after'] !== undefined);
  if (limited) throw new RateLimited(rateLimitOf(status, headers, '', Date.now()) ?? defaultDelayMs);
  throw new HostError(status, 'the file could not be fetched');
}

function discard({ body }: EgressResponse): void {
  body.on('error', () => undefined).destroy();
}
