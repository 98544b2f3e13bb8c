import type { FastifyReply } from 'fastify';
import type { Actor } from '../../../../access/actor.ts';
import type { Services } from '../../../../access/services.ts';
import { NotFound } from '../../../../platform/http/errors.ts';
import { type PackageGroup, readablePackagesOf } from '../../gate.ts';
import { send } from '../../service.ts';
import { distributionNamed, type Place } from '../distributions/store.ts';
import { poolLetter } from '../names.ts';
import * as store from './store.ts';

/** The address of a file in a pool. */
export interface PoolAddress {
  readonly distribution: string;
  readonly letter: string;
  readonly package_name: string;
  readonly package_version: string;
  readonly file_name: string;
}

/**
 * Sends a file of a distribution. The version is not compared: upstream files of a source package are stored with the
 * first revision that brought them, and requested with every one.
 */
export async function sendFile(services: Services, place: Place, address: PoolAddress, reply: FastifyReply) {
  const { read } = services.db;
  const distribution = await distributionNamed(read, place, address.distribution);
  const file = distribution && (await store.fileOf(read, distribution.id, address.package_name, address.file_name));
  if (!file || address.letter !== poolLetter(address.package_name)) throw new NotFound();
  return send(services, { id: file.package_id, last_downloaded_at: file.last_downloaded_at }, file, reply);
}

/** Sends a file of a project in a group, if the caller can read the packages of that project. */
export async function sendFileOfGroup(
  services: Services,
  caller: Actor,
  { namespaceId }: PackageGroup,
  { project_id, ...address }: PoolAddress & { readonly project_id: number },
  reply: FastifyReply,
) {
  const isInside = await store.isInNamespace(services.db.read, project_id, namespaceId);
  const [readable] = isInside ? await readablePackagesOf(services, caller, [project_id]) : [];
  if (!readable) throw new NotFound();
  // The codename of the group's distribution, or its suite, which may be another one of the project.
  const { read } = services.db;
  const distribution = await distributionNamed(read, { group_id: namespaceId }, address.distribution);
  if (!distribution) throw new NotFound('Distribution');
  return sendFile(services, { project_id }, { ...address, distribution: distribution.codename }, reply);
}
