import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Services } from '../../../../access/services.ts';
import type { PageRequest } from '../../../../platform/http/pages/pagination.ts';
import { Message } from '../../../../platform/http/schema.ts';
import { publishingScopes, readingScopes } from '../../gate.ts';
import { Distribution, type DistributionFields, type DistributionFilter } from './schema.ts';
import * as service from './service.ts';
import type { Place } from './store.ts';

const reading = { tag: 'packages', jobToken: true, deployScopes: readingScopes } as const;
const writing = { tag: 'packages', jobToken: true, deployScopes: publishingScopes } as const;

interface Call<Subject, Params> {
  readonly subject: Subject;
  readonly params: Params;
}
interface Named {
  readonly codename: string;
}

/** The operations on the distributions of a place, for projects and for groups. */
export function distributionOperations<Subject>(services: Services, placeOf: (subject: Subject) => Place) {
  return {
    list: {
      ...reading,
      paginated: true,
      responses: { 200: Type.Array(Distribution) },
      handle: ({ subject, params, page }: Call<Subject, DistributionFilter> & { readonly page: PageRequest }) =>
        service.listDistributions(services, placeOf(subject), params, page),
    },
    get: {
      ...reading,
      responses: { 200: Distribution },
      handle: ({ subject, params }: Call<Subject, Named>) =>
        service.getDistribution(services, placeOf(subject), params.codename),
    },
    getKey: {
      ...reading,
      responses: { 200: Type.String() },
      handle: async ({ subject, params, reply }: Call<Subject, Named> & { readonly reply: FastifyReply }) =>
        reply.type('text/plain; charset=utf-8').send(await service.getKey(services, placeOf(subject), params.codename)),
    },
    create: {
      ...writing,
      responses: { 201: Distribution },
      handle: ({ subject, params }: Call<Subject, Named & DistributionFields>) =>
        service.createDistribution(services, placeOf(subject), params.codename, params),
    },
    update: {
      ...writing,
      responses: { 200: Distribution },
      handle: ({ subject, params }: Call<Subject, Named & DistributionFields>) =>
        service.updateDistribution(services, placeOf(subject), params.codename, params),
    },
    remove: {
      tag: 'packages',
      jobToken: true,
      responses: { 202: Message },
      handle: async ({ subject, params }: Call<Subject, Named>) => {
        await service.deleteDistribution(services, placeOf(subject), params.codename);
        return { message: '202 Accepted' };
      },
    },
  } as const;
}
