import type { Actor } from '../actor.ts';
import type { Services } from '../services.ts';

/**
 * Extension point for deploy tokens: finds the actor of a token, who has no access until a gate binds them to a
 * project.
 */
export type DeployTokenLookup = (secret: string) => Promise<Actor | undefined>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** Contributed by the area that stores deploy tokens. */
    'access.deploy-token': (services: Services, secret: string) => ReturnType<DeployTokenLookup>;
  }
}

/** Finds the deploy token for a secret. */
export function deployTokenLookup(services: Services): DeployTokenLookup {
  return async (secret) => {
    for (const lookUp of services.contributions('access.deploy-token')) {
      const found = await lookUp(services, secret);
      if (found) return found;
    }
    return undefined;
  };
}
