import type { Actor } from '../actor.ts';
import type { Services } from '../services.ts';

/** The seam for deploy tokens: who comes with this secret, reaching nothing until a gate binds them to a project. */
export type DeployTokenLookup = (secret: string) => Promise<Actor | undefined>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** Whoever keeps deploy tokens knows which of them can be used. */
    'access.deploy-token': (services: Services, secret: string) => ReturnType<DeployTokenLookup>;
  }
}

/** Finds the deploy token that a secret is of. */
export function deployTokenLookup(services: Services): DeployTokenLookup {
  return async (secret) => {
    for (const lookUp of services.contributions('access.deploy-token')) {
      const found = await lookUp(services, secret);
      if (found) return found;
    }
    return undefined;
  };
}
