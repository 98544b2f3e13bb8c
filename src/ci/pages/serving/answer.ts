import { buffer } from 'node:stream/consumers';
import type { FastifyReply } from 'fastify';
import { type Actor, anonymous } from '../../../access/actor.ts';
import type { PageContext } from '../../../access/area.ts';
import { countWebRequest } from '../../../access/limits/throttle.ts';
import type { Services } from '../../../access/services.ts';
import { projectSubject } from '../../../access/subjects.ts';
import { seesPages } from '../../../namespaces/projects/public.ts';
import { hostUrl, type PagesAddress, uniqueLabel } from '../addresses.ts';
import { deploymentFor } from '../deployments/store.ts';
import { siteOf } from '../settings/store.ts';
import type { DeploymentRow, SiteRow } from '../tables.ts';
import { resolve, SiteFiles } from './files.ts';
import { type Found, findSite } from './find-site.ts';
import { explainRules, type Line, maxFileBytes, readRules, redirectOf } from './redirects.ts';
import { sendFile } from './send.ts';
import { signInPath } from './sign-in.ts';
import { completeSignIn, redirectToSignIn, type Visit, visitorOf } from './visitor.ts';

/** What is needed to serve sites. */
export interface Serving {
  readonly services: Services;
  readonly place: PagesAddress;
  readonly identify: PageContext['identify'];
}

const encoded = (parts: readonly string[]) => parts.map((part) => encodeURIComponent(part)).join('/');

function queryOf({ request }: Visit): string {
  const { url = '' } = request.raw;
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

export function notFound(reply: FastifyReply): FastifyReply {
  const page =
    '<!doctype html><meta charset="utf-8"><title>404 Not Found</title><h1>404</h1><p>There is no such page.</p>\n';
  return reply.code(404).header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page);
}

/** Answers a request to a Pages host. */
export async function handleRequest(serving: Serving, visit: Visit): Promise<FastifyReply> {
  const { services, place, identify } = serving;
  const { reply, host, parts } = visit;
  const isSignInReturn = `/${parts.join('/')}` === signInPath;
  const actor = isSignInReturn ? anonymous : await visitorOf(services, identify, visit);
  if (await tooMany(services, visit, actor ?? anonymous)) return reply;
  if (isSignInReturn) return completeSignIn(services, visit);
  const found = await findSite(services, place, host, parts);
  const subject = found && actor && (await projectSubject(services.db.read, actor, found.project));
  // Anonymous visitors are asked to sign in whenever they cannot see a site, so that the response does not reveal which
  // sites exist.
  if (!found || !subject || !seesPages(subject) || found.project.marked_for_deletion_at !== null) {
    return actor?.carrier === 'none' ? redirectToSignIn(services, visit) : notFound(reply);
  }
  const site = await siteOf(services.db.read, found.project.id);
  const redirectUrl = site && betterAddress(serving, visit, found, site);
  if (redirectUrl !== undefined) return reply.redirect(redirectUrl, 308);
  if (!site || (found.by === 'unique domain' && site.unique_domain_enabled === 0)) return notFound(reply);
  return answerWithin(serving, visit, found, actor.carrier === 'none');
}

/** Rate limits visitors with the same throttle as the server's own pages. */
async function tooMany(services: Services, { request, reply }: Visit, actor: Actor): Promise<boolean> {
  const counted = await countWebRequest(services, actor, request.ip);
  if (counted) reply.headers(counted.headers);
  if (!counted?.exceeded) return false;
  reply.code(429).header('cache-control', 'no-store').type('text/plain').send(`${counted.retryMessage}\n`);
  return true;
}

/** URL to redirect to if the site has a preferred address; undefined if the request already uses it. */
function betterAddress({ services, place }: Serving, visit: Visit, found: Found, site: SiteRow): string | undefined {
  const { request, host, parts, folder } = visit;
  const rest = parts.slice(found.named);
  const path = `/${encoded(rest)}${folder && rest.length > 0 ? '/' : ''}${queryOf(visit)}`;
  const uniqueHost = `${uniqueLabel(found.project)}.${place.domain}`;
  const unique =
    site.unique_domain_enabled === 1 && found.by !== 'custom domain' ? hostUrl(place, uniqueHost) : undefined;
  const preferred = site.primary_domain ?? unique;
  if (preferred !== undefined && new URL(preferred).hostname !== host) return preferred + path;
  // Only the header of a trusted proxy reliably shows that a request was made over HTTP.
  const knowsScheme = services.config.trustedProxies.length > 0 && request.headers['x-forwarded-proto'] !== undefined;
  const isInsecure = knowsScheme && request.protocol === 'http' && place.scheme === 'https';
  if (!isInsecure || site.https_only === 0 || !found.secure) return undefined;
  const whole = `/${encoded(parts)}${folder && parts.length > 0 ? '/' : ''}${queryOf(visit)}`;
  return hostUrl(place, host) + whole;
}

async function answerWithin(serving: Serving, visit: Visit, found: Found, open: boolean): Promise<FastifyReply> {
  const { db, storage } = serving.services;
  const { reply, parts, folder } = visit;
  const segments = parts.slice(found.named);
  const deployment = await deploymentFor(db.read, found.project.id, segments[0] ?? '', Date.now());
  if (!deployment) return notFound(reply);
  const rest = deployment.path_prefix === '' ? segments : segments.slice(1);
  if (rest.length === 0 && parts.length > 0 && !folder) return withSlash(visit);
  const files = await SiteFiles.open(storage, deployment);
  try {
    return await answerFrom(files, visit, { deployment, rest, open });
  } finally {
    files.close();
  }
}

const withSlash = (visit: Visit) => visit.reply.redirect(`/${encoded(visit.parts)}/${queryOf(visit)}`, 302);

interface ServedPath {
  readonly deployment: DeploymentRow;
  /** The path within the site. */
  readonly rest: readonly string[];
  readonly open: boolean;
}

async function answerFrom(
  files: SiteFiles,
  visit: Visit,
  { deployment, rest, open }: ServedPath,
): Promise<FastifyReply> {
  const { request, reply, folder } = visit;
  const send = (found: Parameters<typeof sendFile>[3], status = 200) =>
    sendFile(request, reply, files, found, { deployment, status, open });
  if (rest.length === 1 && rest[0] === '_redirects') {
    return reply.type('text/plain; charset=utf-8').send(explainRules(await rulesOf(files)));
  }
  const target = await resolve(files, rest.join('/') + (folder ? '/' : ''));
  if (target === 'slash') return withSlash(visit);
  if (target) return send(target);
  const redirect = redirectOf(await rulesOf(files), visit.host, visit.parts);
  if (redirect && redirect.status !== 200) return reply.redirect(redirect.to, redirect.status);
  const inside = redirect && (await resolve(files, pathWithin(visit, rest, redirect.to)));
  if (inside && inside !== 'slash') return send(inside);
  const page = await files.find('404.html');
  return page ? send({ path: '404.html', entry: page }, 404) : notFound(reply);
}

async function rulesOf(files: SiteFiles): Promise<Line[]> {
  const entry = await files.find('_redirects');
  const stream = entry && entry.size <= maxFileBytes ? await entry.open() : undefined;
  return stream ? readRules((await buffer(stream)).toString()) : [];
}

/** Path within the site for a URL on its host; a URL outside of the site maps to a path that matches no file. */
function pathWithin({ parts }: Visit, rest: readonly string[], to: string): string {
  const base = parts.slice(0, parts.length - rest.length);
  const [path = ''] = to.split(/[?#]/, 1);
  const target = readParts(path);
  if (!target || !base.every((part, at) => part === target.parts[at])) return '\0';
  return target.parts.slice(base.length).join('/') + (target.folder ? '/' : '');
}

/** Splits and decodes a path; undefined for paths with ambiguous segments. */
export function readParts(path: string): Pick<Visit, 'parts' | 'folder'> | undefined {
  const parts: string[] = [];
  for (const piece of path.split('/')) {
    if (piece === '') continue;
    const part = decodeSegment(piece);
    if (part === undefined || /^\.{1,2}$/.test(part) || /[/\\\0]/.test(part)) return undefined;
    parts.push(part);
  }
  return { parts, folder: path.endsWith('/') };
}

function decodeSegment(piece: string): string | undefined {
  try {
    return decodeURIComponent(piece);
  } catch {
    // Malformed percent-encoding.
    return undefined;
  }
}
