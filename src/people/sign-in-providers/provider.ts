import type { Services } from '../../access/services.ts';
import type { Flow } from './flow.ts';

/** A configured identity provider; its area knows the protocol. */
export interface SignInProvider {
  /** Provider name in identities and URLs. */
  readonly name: string;
  readonly label: string;
  readonly protocol: 'openid' | 'saml';
  readonly signUp: boolean;
  readonly approval: boolean;
  readonly linkByEmail: boolean;
  readonly requiredGroups: readonly string[];
  readonly adminGroups: readonly string[];
  readonly externalGroups: readonly string[];
  readonly trustSecondFactor: boolean;
  readonly autoSignIn: boolean;
}

/** A provider that users can be sent to. */
export interface OfferedProvider extends SignInProvider {
  /** Returns the URL at the provider where this sign-in begins. */
  readonly addressFor: (flow: Flow) => Promise<string>;
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** In the order in which they are offered. */
    'sign-in.providers': (services: Services) => readonly OfferedProvider[];
  }
  interface DomainEvents {
    /** A provider identified a user who signs in, with these groups. */
    'provider.identified': {
      readonly userId: number;
      readonly provider: Pick<SignInProvider, 'name' | 'protocol'>;
      readonly groups: readonly string[];
    };
  }
}

/** Returns the enabled ones of these providers; administrators can disable some at runtime. */
export async function enabledAmong<One extends { readonly name: string }>(
  services: Services,
  providers: readonly One[],
): Promise<One[]> {
  const { disabled_oauth_sign_in_sources: disabled } = await services.settings.read();
  return providers.filter(({ name }) => !disabled.includes(name));
}

/** Returns the enabled providers of all protocols. */
export function offeredProviders(services: Services): Promise<OfferedProvider[]> {
  return enabledAmong(
    services,
    services.contributions('sign-in.providers').flatMap((providersOf) => providersOf(services)),
  );
}
