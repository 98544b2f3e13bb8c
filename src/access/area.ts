import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Contributions, Subscriptions } from '../platform/domain-events.ts';
import type { PipelineOptions } from '../platform/http/pipeline-options.ts';
import type { Actor } from './actor.ts';
import type { LastUse } from './credentials/last-use.ts';
import type { Gates } from './gates.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** What an area has at hand that serves addresses outside the API. */
export interface PageContext {
  readonly services: Services;
  readonly gates: Gates;
  readonly lastUse: LastUse;
  readonly identify: (request: FastifyRequest, sent: Record<string, unknown>, endpoint: Route) => Promise<Actor>;
  readonly pipeline: PipelineOptions<Actor>;
}

/** Something that listens on a port of its own. */
export interface Listener {
  close(): Promise<void>;
}

/**
 * One family of resources, as the server sees it. `src/areas.ts` is the list of them; nothing registers itself by being
 * imported.
 */
export interface Area {
  readonly name: string;
  /** Its operations; `all` gives those of every area, once they are known. */
  readonly routes?: (services: Services, gates: Gates, all: () => readonly Route[]) => Route[];
  /** Tells the queue how its jobs are run, and which of them come round. */
  readonly jobs?: (services: Services) => void;
  /** What it does when something happens in another area. */
  readonly on?: Subscriptions<Services>;
  /** What it adds to the answers of other areas. */
  readonly contributes?: Partial<Contributions>;
  /** Mends what the last run left undone, before anybody can call. */
  readonly repair?: (services: Services) => Promise<void>;
  /** Serves addresses outside the API; what it returns is called when the server listens. */
  readonly pages?: (
    app: FastifyInstance,
    context: PageContext,
  ) => Promise<(() => Promise<Listener | undefined>) | undefined>;
}
