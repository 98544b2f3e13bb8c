import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { admitDownload } from '../../../code/download-limits/public.ts';
import { type ProjectCall, repositoryOf } from '../../../code/repository/public.ts';
import { datedSeconds } from '../../../platform/git/objects/identity.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { isVersion, type ModulePlace, modulePlace, readGoAddress } from './names.ts';
import { findVersion, type ModuleVersion, taggedVersions, versionOfRevision } from './versions.ts';
import { moduleZip } from './zip.ts';

/** A request of the go command. */
export interface GoCall extends ProjectCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const missing = () => new NotFound('Module version');

/** Modules are served from the repository, so reading them requires read access to code. */
function requireCode({ caller, subject }: ProjectCall): void {
  const reads = caller.deploy ? subject.featureLevel('repository') > 0 : subject.can('read_code');
  if (!reads) throw new Forbidden();
}

/** Path prefix of the project's modules. It cannot contain a port. */
function repositoryPath({ externalUrl }: Services, { fullPath }: ProjectSubject): string {
  const { hostname, pathname } = new URL(externalUrl);
  return `${hostname}${pathname.replace(/\/$/, '')}/${fullPath}`;
}

/** Answers a request of the go command. */
export async function answerGo(services: Services, call: GoCall, rest: string): Promise<FastifyReply> {
  requireCode(call);
  const request = readGoAddress(rest);
  const place = request && modulePlace(request.module, repositoryPath(services, call.subject));
  if (!request || !place) throw missing();
  if (request.asks === 'list') return sendList(services, call, place);
  if (request.asks === 'latest') {
    const latest = await latestVersion(services, call, place);
    if (!latest) throw missing();
    return sendInfo(call, latest);
  }
  // The go command resolves branches and commits to versions with `.info`.
  const isNamed = request.asks !== 'info' || isVersion(request.version);
  const find = isNamed ? findVersion : versionOfRevision;
  const found = await find(services, call, place, request.version);
  if (!found) throw missing();
  if (request.asks === 'info') return sendInfo(call, found);
  return request.asks === 'mod' ? sendGoMod(services, call, place, found) : sendZip(services, call, place, found);
}

async function sendList(services: Services, call: GoCall, place: ModulePlace): Promise<FastifyReply> {
  const versions = await taggedVersions(services, call, place);
  const text = versions.map(({ version }) => `${version}\n`).join('');
  return call.reply.type('text/plain; charset=utf-8').send(text);
}

/** The highest release, otherwise the highest pre-release, otherwise the default branch. */
async function latestVersion(services: Services, call: GoCall, place: ModulePlace) {
  const versions = await taggedVersions(services, call, place);
  const release = versions.find(({ version }) => !version.includes('-'));
  return release ?? versions[0] ?? versionOfRevision(services, call, place);
}

function sendInfo({ reply }: GoCall, { version: Version, commit }: ModuleVersion): FastifyReply {
  const Time = new Date(datedSeconds(commit.committer.seconds) * 1000).toISOString().replace('.000Z', 'Z');
  return reply.type('application/json').send(JSON.stringify({ Version, Time }));
}

async function sendGoMod(services: Services, call: GoCall, { module }: ModulePlace, { root }: ModuleVersion) {
  const objects = services.git.objects(repositoryOf(services, call.subject));
  // Sent verbatim, because the go command verifies its digest.
  const bytes = root.goMod === undefined ? Buffer.from(`module ${module}\n`) : await objects.blob(root.goMod);
  return call.reply.type('text/plain; charset=utf-8').send(bytes);
}

async function sendZip(services: Services, call: GoCall, { module }: ModulePlace, found: ModuleVersion) {
  if (!(await admitDownload(services, call.caller, call.subject))) throw new Forbidden();
  const reply = call.reply.type('application/zip').header('x-content-type-options', 'nosniff');
  if (call.request.method === 'HEAD') return reply.send(Readable.from([]));
  return reply.send(await moduleZip(services, call, module, found));
}
