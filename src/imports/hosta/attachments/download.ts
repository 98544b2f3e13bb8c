import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { keepImportedFile } from '../../../namespaces/projects/public.ts';
import { EgressRefused, type EgressResponse, ResponseTooLarge } from '../../../platform/egress/client.ts';
import { HostError, RateLimited, rateLimitOf } from '../../host-client/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import type { HostaOptions } from '../api.ts';
import { attachmentName } from './links.ts';

const mebibyte = 1024 * 1024;
const withoutWord = 120_000;
const tries = 3;
const pauseMs = 500;
/** What is gone, or not for this credential, stays so. */
const lasting = new Set([400, 401, 403, 404, 410, 413, 451]);

/** Keeps the file of an address as an upload of the project; resolves with its address here. */
export async function keepAttachment(run: ImportRun, url: string): Promise<string> {
  for (let tried = 1; ; tried++) {
    try {
      return await keep(run, url);
    } catch (error) {
      if (run.signal.aborted || tried === tries || !mayPass(error)) throw error;
      await setTimeout(pauseMs * 2 ** tried, undefined, { signal: run.signal });
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof HostError) return !lasting.has(error.status);
  return !(error instanceof RateLimited || error instanceof EgressRefused || error instanceof ResponseTooLarge);
}

async function keep(run: ImportRun, url: string): Promise<string> {
  const { services, project } = run;
  const { salt } = run.options<HostaOptions>();
  const response = await fetchFile(run, url);
  const filename = attachmentName(url, response.headers['content-type']);
  // The same every time, so that a crash leaves no second copy, and nothing that somebody else could work out.
  const secret = createHmac('sha256', salt).update(url).digest('hex').slice(0, 32);
  try {
    const owner = { project_id: project.id, namespace_id: null };
    await keepImportedFile(services, owner, { secret, filename, userId: run.userId }, response.body);
  } finally {
    discard(response);
  }
  return `/uploads/${secret}/${filename}`;
}

/** The token goes to the host that it is for, and to nobody that it sends on to. */
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
  if (!target || /^\/(?:login|session)\b/.test(target.pathname)) throw new HostError(401, 'it asks to sign in');
  return succeeded(await services.egress.fetch(target.href, { ...asking, redirects: 3 }));
}

async function succeeded(response: EgressResponse): Promise<EgressResponse> {
  const { status, headers } = response;
  if (status === 200) return response;
  discard(response);
  const limited = status === 429 || (status === 403 && headers['retry-after'] !== undefined);
  if (limited) throw new RateLimited(rateLimitOf(status, headers, '', Date.now()) ?? withoutWord);
  throw new HostError(status, 'the file could not be fetched');
}

function discard({ body }: EgressResponse): void {
  body.on('error', () => undefined).destroy();
}
