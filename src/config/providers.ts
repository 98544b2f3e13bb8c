import { type EntriesFile, entriesFile } from './entries-file.ts';
import { type OneProvider, oneProvider, providerMistakes } from './one-provider.ts';

const kind = {
  table: oneProvider,
  prefix: 'HEARTH_OIDC_',
  one: 'provider',
  many: 'providers',
  needed: ['issuer', 'provider'],
  mistakesOf: providerMistakes,
  nameOf: ({ oidcProvider }: OneProvider) => oidcProvider,
};

/** The OpenID Connect providers for sign-in. */
export const providers = {
  ...oneProvider,
  oidcProviders: entriesFile(
    'HEARTH_OIDC_PROVIDERS',
    'JSON file with further providers: a list of objects with the names above, such as `issuer`, `client_id` and `provider`.',
    kind,
  ),
};

/** Returns all providers in display order. */
export function providersOf(
  config: OneProvider & { readonly oidcProviders: EntriesFile<OneProvider> | undefined },
): OneProvider[] {
  return [config, ...(config.oidcProviders?.entries ?? [])].filter(({ oidcIssuer }) => oidcIssuer !== undefined);
}

/** Returns mistakes in the combination of several providers. */
export function providersMistakes(config: Parameters<typeof providersOf>[0]): string[] {
  const all = providersOf(config);
  const names = all.map(({ oidcProvider }) => oidcProvider);
  const [first] = names;
  const problems: string[] = [];
  if (first !== undefined && names.indexOf(first, 1) > 0) {
    problems.push(`--oidc-providers: ${first} is the name of the first provider`);
  }
  if (all.filter(({ oidcAutoSignIn }) => oidcAutoSignIn).length > 1) {
    problems.push('--oidc-auto-sign-in: only one provider can sign users in automatically');
  }
  return problems;
}
