import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Contributions, Subscriptions } from '../platform/domain-events.ts';
import type { PipelineOptions } from '../platform/http/pipeline-options.ts';
import type { Actor } from './actor.ts';
import type { LastUse } from './credentials/last-use.ts';
import type { Gates } from './gates.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** What an area needs to serve paths outside the API. */
export interface PageContext {
  readonly services: Services;
  readonly gates: Gates;
  readonly lastUse: LastUse;
  readonly identify: (request: FastifyRequest, sent: Record<string, unknown>, endpoint: Route) => Promise<Actor>;
  readonly pipeline: PipelineOptions<Actor>;
}

/** A server on a separate port, such as SSH. */
export interface Listener {
  close(): Promise<void>;
}

/** One family of resources, as mounted by the server and listed in `src/areas.ts`; importing it has no side effects. */
export interface Area {
  readonly name: string;
  /** Its operations; `all` returns those of every area, once they are all created. */
  readonly routes?: (services: Services, gates: Gates, all: () => readonly Route[]) => Route[];
  /** Defines its job handlers and recurring jobs. */
  readonly jobs?: (services: Services) => void;
  /** Handlers for domain events of other areas. */
  readonly on?: Subscriptions<Services>;
  /** Contributions to other areas. */
  readonly contributes?: Partial<Contributions>;
  /** Repairs unfinished work of the previous run, before the first request. */
  readonly repair?: (services: Services) => Promise<void>;
  /** Serves paths outside the API; the returned function is called once the server listens. */
  readonly pages?: (
    app: FastifyInstance,
    context: PageContext,
  ) => Promise<(() => Promise<Listener | undefined>) | undefined>;
}
